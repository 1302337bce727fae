package replay

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// Difference is the first element in which a record differs from the recomputed one.
type Difference struct {
	K          int         `json:"k"`
	Stage      string      `json:"stage"`
	Record     schema.Kind `json:"record"`
	Part       int         `json:"part"`  // which of the iteration's records of that kind, from 0
	Field      string      `json:"field"` // of the record
	Index      int         `json:"index"` // in the field, row-major, from 0
	Recorded   any         `json:"recorded"`
	Recomputed any         `json:"recomputed"`
	Ulps       *uint64     `json:"ulps"` // units in the last place between two floats, nil for other types
}

func (d Difference) String() string {
	s := fmt.Sprintf("iteration %d, %s: %s record %d, %s[%d] is recorded as %v and recomputed as %v",
		d.K, d.Stage, d.Record, d.Part, d.Field, d.Index, d.Recorded, d.Recomputed)
	if d.Ulps != nil {
		s += fmt.Sprintf(" (%d ulps apart)", *d.Ulps)
	}
	return s
}

// compareRecords returns the first difference of two records of one kind.
func compareRecords(kind schema.Kind, recorded, recomputed []byte) (Difference, error) {
	a, err := schema.Decode(kind, recorded)
	if err != nil {
		return Difference{}, err
	}
	b, err := schema.Decode(kind, recomputed)
	if err != nil {
		return Difference{}, err
	}
	d := Difference{Record: kind}
	if !d.findFirst(reflect.ValueOf(denseView(a)), reflect.ValueOf(denseView(b)), "") {
		return d, fmt.Errorf("%w: two %s records differ in no field", wire.ErrMalformed, kind)
	}
	return d, nil
}

// denseView returns a record with its rows expanded: the index of a difference then counts every element, as the
// encoding does. Those of partial factors stay sparse: they are many.
func denseView(record any) any {
	f, ok := record.(schema.Factors)
	if !ok {
		return record
	}
	rows, sparse := []float64(nil), f.Rows
	if !f.IsPartial() {
		rows, sparse = schema.DenseRows(f.Dims, f.Rows), nil
	}
	return struct {
		Dims        int
		Columns     []int32
		AllFeatures int
		Centred     bool
		Total       int64
		Rows        []float64
		SparseRows  []schema.SparseRow
		Counts      []int64
		Sigma, V    []float64
	}{
		f.Dims, f.Columns, f.AllFeatures, f.Centred, f.Total, rows, sparse, f.Counts, f.Sigma, f.V,
	}
}

// findFirst compares two values of one type, fields in order, and notes the first difference.
// Floats differ if their bits do.
func (d *Difference) findFirst(a, b reflect.Value, field string) bool {
	switch a.Kind() {
	case reflect.Struct:
		for i := range a.NumField() {
			if d.findFirst(a.Field(i), b.Field(i), fieldPath(field, a.Type().Field(i))) {
				return true
			}
		}
		return false
	case reflect.Slice:
		return d.findElement(a, b, field)
	case reflect.Map:
		return d.findKey(a, b)
	case reflect.Pointer:
		if !a.IsNil() && !b.IsNil() {
			return d.findFirst(a.Elem(), b.Elem(), field)
		}
		return a.IsNil() != b.IsNil() && d.set(a, b, field)
	case reflect.Float64:
		x, y := math.Float64bits(a.Float()), math.Float64bits(b.Float())
		if x == y {
			return false
		}
		ulps := ulpDistance(x, y)
		d.Ulps = &ulps
		return d.set(a, b, field)
	}
	return a.Interface() != b.Interface() && d.set(a, b, field)
}

func (d *Difference) findElement(a, b reflect.Value, field string) bool {
	if field == "" {
		field = string(d.Record)
	}
	for i := range min(a.Len(), b.Len()) {
		if d.findFirst(a.Index(i), b.Index(i), field) {
			d.Index = i
			return true
		}
	}
	if a.Len() == b.Len() {
		return false
	}
	return d.set(reflect.ValueOf(a.Len()), reflect.ValueOf(b.Len()), field+".length")
}

func (d *Difference) set(a, b reflect.Value, field string) bool {
	d.Field, d.Recorded, d.Recomputed = field, plainValue(a), plainValue(b)
	return true
}

// findKey compares two maps of text, keys in ascending order; the field is the key.
func (d *Difference) findKey(a, b reflect.Value) bool {
	keys := map[string]bool{}
	for _, key := range slices.Concat(a.MapKeys(), b.MapKeys()) {
		keys[key.String()] = true
	}
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		x, y := a.MapIndex(reflect.ValueOf(key)), b.MapIndex(reflect.ValueOf(key))
		if x.IsValid() != y.IsValid() {
			return d.set(reflect.ValueOf(x.IsValid()), reflect.ValueOf(y.IsValid()), key)
		}
		if d.findFirst(x, y, key) {
			return true
		}
	}
	return false
}

func plainValue(v reflect.Value) any {
	if v.Kind() == reflect.Pointer {
		if v.IsNil() {
			return nil
		}
		v = v.Elem()
	}
	return v.Interface()
}

// fieldPath returns the path of a struct field below field, by its CBOR name or its lower-case Go
// name.
func fieldPath(field string, f reflect.StructField) string {
	name, ok := f.Tag.Lookup("cbor")
	if !ok {
		name = strings.ToLower(f.Name)
	}
	return strings.TrimPrefix(field+"."+name, ".")
}

// ulpDistance returns the number of units in the last place between two floats, given their bits.
func ulpDistance(x, y uint64) uint64 {
	a, b := orderedBits(x), orderedBits(y)
	return max(a, b) - min(a, b)
}

// orderedBits maps the bits of floats to integers in the order of their values.
func orderedBits(bits uint64) uint64 {
	if bits>>63 == 1 {
		return 1<<63 - bits&^(1<<63)
	}
	return 1<<63 + bits
}

// Verdict is the result of verifying a stage.
type Verdict string

// The verdicts of a stage.
const (
	Identical  Verdict = "identical"
	Different  Verdict = "different" // recomputing it from the recorded inputs gives another record
	Damaged    Verdict = "damaged"   // the record is missing, or its bytes do not match its digest
	Unverified Verdict = "unjudged"  // an input of the stage is damaged or missing
	Skipped    Verdict = "skipped"   // not in the sample
)

// StageResult is the verdict on a stage, with the reason if it is not Identical.
type StageResult struct {
	Stage      string      `json:"stage"`
	Verdict    Verdict     `json:"verdict"`
	Pruned     int         `json:"pruned,omitempty"` // records compared by digest alone, because they were pruned
	Difference *Difference `json:"difference,omitempty"`
	Reason     string      `json:"reason,omitempty"`

	// Level is how far the stage's records are proved, empty if one of them is wrong or lost, or was not examined.
	Level schema.Level `json:"level,omitempty"`

	noEnv   bool // unverified because the environment was not given
	noStage bool // not executed because the external stage was not given
}

// ErrUnverifiable is the error of a run that this program cannot verify, or not with the records in its store.
var ErrUnverifiable = errors.New("cannot be verified here")

// CheckRecomputable returns an error for a run whose records this program cannot recompute. Such records must not be
// pruned.
func CheckRecomputable(run tracker.Run) error {
	_, err := newRecomputable(run)
	return err
}

// newRecomputable returns the environment of a run whose records this program can recompute.
func newRecomputable(run tracker.Run) (env envs.Env, err error) {
	defer envs.CatchEnvPanic(&err)
	if err := CheckNumerics(run); err != nil {
		return nil, err
	}
	env, err = pod.NewEnvForSpec(run.Spec)
	return env, asUnverifiable(run, err)
}

// CheckNumerics returns an error for a run of a numerics version that this program does not compute.
func CheckNumerics(run tracker.Run) error {
	return asUnverifiable(run, schema.CheckNumerics(run.Spec.Numerics))
}

func asUnverifiable(run tracker.Run, err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("run %.7s %w: %w", run.ID, ErrUnverifiable, err)
}
