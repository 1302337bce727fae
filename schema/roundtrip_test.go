package schema_test

import (
	"bytes"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

var (
	allFinite = rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64)
	positive  = rapid.Float64Range(0, math.MaxFloat64)
	natural   = rapid.Int64Min(0)
)

func floats(t *rapid.T, n int, label string) []float64 {
	return rapid.SliceOfN(allFinite, n, n).Draw(t, label)
}

func drawTransitions(t *rapid.T) schema.Transitions {
	x := schema.Transitions{
		Start: rapid.Uint64().Draw(t, "start"),
		Arity: rapid.IntRange(1, schema.MaxActions).Draw(t, "arity"),
	}
	x.Actions = rapid.SliceOfN(rapid.Uint8Range(0, uint8(x.Arity-1)), 0, 70).Draw(t, "actions")
	for left := len(x.Actions); left > 0; left -= int(x.Spans[len(x.Spans)-1].Steps) {
		x.Spans = append(x.Spans, schema.Span{
			Steps:  uint32(rapid.IntRange(1, left).Draw(t, "steps")),
			Option: rapid.Int32Min(schema.Primitive).Draw(t, "option"),
		})
	}
	steps := rapid.SliceOfDistinct(rapid.Uint64Range(0, uint64(len(x.Actions))), rapid.ID[uint64]).Draw(t, "resets")
	slices.Sort(steps)
	for _, step := range steps {
		x.Episodes = append(x.Episodes, schema.Episode{Step: step, State: rapid.Uint64().Draw(t, "state")})
	}
	if rapid.Bool().Draw(t, "with states") {
		x.Next = rapid.SliceOfN(rapid.Uint32(), len(x.Actions), len(x.Actions)).Draw(t, "next")
		for i := range x.Episodes {
			x.Episodes[i].Terminated = rapid.Bool().Draw(t, "terminated")
		}
	}
	return x
}

// drawFactors returns factors, whose rows have no −0.
func drawFactors(t *rapid.T) schema.Factors {
	f := schema.Factors{Dims: rapid.IntRange(1, 5).Draw(t, "dims")}
	rows := rapid.SliceOfN(rapid.SliceOfN(allFinite, f.Dims, f.Dims), 0, 6).Draw(t, "rows")
	slices.SortFunc(rows, slices.Compare)
	rows = slices.CompactFunc(rows, func(a, b []float64) bool { return slices.Equal(a, b) })
	for _, row := range rows {
		count := rapid.Int64Range(1, 1<<50).Draw(t, "count")
		f.Rows, f.Counts, f.Total = append(f.Rows, schema.NewSparseRow(row)), append(f.Counts, count), f.Total+count
	}
	f.Sigma = rapid.SliceOfN(positive, f.Dims, f.Dims).Draw(t, "sigma")
	slices.Sort(f.Sigma)
	slices.Reverse(f.Sigma)
	f.V = floats(t, f.Dims*f.Dims, "V")
	for i, row := range f.Rows {
		f.Rows[i] = slices.DeleteFunc(row, func(e schema.RowEntry) bool { return e.Value == 0 })
	}
	return f
}

// drawFactorsOfColumns returns factors of some of the features.
func drawFactorsOfColumns(t *rapid.T) schema.Factors {
	f := drawFactors(t)
	f.Columns = rapid.SliceOfNDistinct(rapid.Int32Range(0, 99), f.Dims, f.Dims, rapid.ID[int32]).Draw(t, "columns")
	slices.Sort(f.Columns)
	f.AllFeatures = rapid.IntRange(100, 1<<20).Draw(t, "features")
	return f
}

// drawPartialFactors returns factors of the first directions, of all features or some.
func drawPartialFactors(t *rapid.T) schema.Factors {
	draw := rapid.SampledFrom([]func(*rapid.T) schema.Factors{drawFactors, drawFactorsOfColumns}).Draw(t, "form")
	f := rapid.Custom(draw).Filter(func(f schema.Factors) bool { return f.Dims > 1 }).Draw(t, "factors")
	k := rapid.IntRange(1, f.Dims-1).Draw(t, "directions")
	f.Sigma, f.V, f.Centred = f.Sigma[:k], f.V[:f.Dims*k], rapid.Bool().Draw(t, "centred")
	return f
}

func drawRows(t *rapid.T) schema.Rows {
	f := drawFactors(t)
	return schema.Rows{Dims: f.Dims, Total: f.Total, Rows: schema.DenseRows(f.Dims, f.Rows), Counts: f.Counts}
}

func drawSelection(t *rapid.T) schema.Selection {
	sigma := rapid.SliceOfN(rapid.Float64Range(math.SmallestNonzeroFloat64, math.MaxFloat64), 0, 9).Draw(t, "sigma")
	slices.Sort(sigma)
	slices.Reverse(sigma)
	signs := rapid.SampledFrom([][]schema.Sign{{schema.BothSigns}, {schema.Plus, schema.Minus}}).Draw(t, "signs")
	var s schema.Selection
	for _, x := range sigma {
		s.Directions = append(s.Directions, schema.Direction{
			Sign:    rapid.SampledFrom(signs).Draw(t, "sign"),
			Sigma:   x,
			Reason:  schema.Reason(rapid.IntRange(int(schema.Kept), int(schema.Known)).Draw(t, "reason")),
			Number:  allFinite.Draw(t, "number"),
			Nearest: rapid.Int32Min(schema.NoOption).Draw(t, "nearest"),
		})
	}
	return s
}

func drawOption(t *rapid.T) schema.Option {
	o := schema.Option{
		Purpose: schema.Purpose{
			J:      rapid.IntMin(1).Draw(t, "j"),
			Sign:   rapid.SampledFrom([]int{1, -1}).Draw(t, "sign"),
			Sigma:  positive.Draw(t, "sigma"),
			Vector: rapid.SliceOfN(allFinite, 0, 5).Draw(t, "vector"),
		},
		Arity: rapid.IntRange(1, schema.MaxActions).Draw(t, "arity"),
		Certificate: schema.Certificate{
			Termination: rapid.SampledFrom([]schema.Termination{schema.Proved, schema.Observed, schema.Unknown}).Draw(t,
				"termination"),
			Acyclic:    rapid.Bool().Draw(t, "acyclic"),
			Longest:    schema.PathLength(natural.Draw(t, "longest")),
			Reach:      rapid.Ptr(positive, true).Draw(t, "reach"),
			Initiation: natural.Draw(t, "initiation"),
			PeakQ:      allFinite.Draw(t, "peak q"),
			Tolerance:  positive.Draw(t, "tolerance"),
			Null:       rapid.Bool().Draw(t, "null"),
		},
	}
	o.Policy = rapid.SliceOfN(rapid.Int8Range(schema.Terminate, int8(o.Arity-1)), 0, 40).Draw(t, "policy")
	o.Purpose.Start = drawStart(t, len(o.Policy))
	return o
}

// drawStart returns the only state in which an option can start, or nil.
func drawStart(t *rapid.T, states int) *int {
	if states == 0 {
		return nil
	}
	return rapid.Ptr(rapid.IntRange(0, states-1), true).Draw(t, "start")
}

func drawMeasures(t *rapid.T) schema.Measures {
	return schema.Measures{
		Purposes:         natural.Draw(t, "purposes"),
		Options:          natural.Draw(t, "options"),
		Available:        natural.Draw(t, "available"),
		Calls:            natural.Draw(t, "calls"),
		Truncated:        natural.Draw(t, "truncated"),
		OptionLength:     rapid.Ptr(positive, true).Draw(t, "option length"),
		Reach:            rapid.Ptr(positive, true).Draw(t, "reach"),
		Distance:         rapid.Ptr(natural, true).Draw(t, "distance"),
		Final:            rapid.Ptr(natural, true).Draw(t, "final"),
		DistanceOneSided: rapid.Ptr(natural, true).Draw(t, "one-sided"),
		StatesVisited:    natural.Draw(t, "states"),
	}
}

func drawExternalMeasures(t *rapid.T) schema.ExternalMeasures {
	name := rapid.StringMatching(`[a-z][a-z0-9_]{0,39}`)
	return rapid.MapOfN(name, rapid.Ptr(positive, true), 0, 5).Draw(t, "measures")
}

// haveDistinctKeys reports whether all keys differ when case is ignored: JSON decoders take others for one key.
func haveDistinctKeys(params map[string]int64) bool {
	for a := range params {
		for b := range params {
			if a != b && strings.EqualFold(a, b) {
				return false
			}
		}
	}
	return true
}

// drawSpec returns any spec that Validate accepts.
func drawSpec(t *rapid.T) schema.Spec {
	return schema.Spec{
		Numerics: schema.NumericsVersion,
		Env: schema.Env{
			Name:    rapid.String().Draw(t, "env"),
			Version: rapid.Uint64().Draw(t, "version"),
			Params:  rapid.MapOfN(rapid.String(), rapid.Int64(), 0, 4).Filter(haveDistinctKeys).Draw(t, "params"),
		},
		Seed:      rapid.Uint64().Draw(t, "seed"),
		Steps:     rapid.Int64Range(1, schema.MaxSteps).Draw(t, "steps"),
		Kappa:     positive.Draw(t, "kappa"),
		Gamma:     rapid.Float64Range(0, 1-1e-12).Draw(t, "gamma"),
		Sweeps:    rapid.Int64Range(1, schema.MaxSweeps).Draw(t, "sweeps"),
		Tolerance: positive.Draw(t, "tolerance"),
		Basis:     rapid.SampledFrom([]schema.Basis{schema.RightSingular, schema.RowsOfV, schema.Random}).Draw(t, "basis"),
		Dataset:   rapid.SampledFrom([]schema.Dataset{schema.PerIteration, schema.Cumulative}).Draw(t, "dataset"),
		Select: rapid.SampledFrom([]schema.Select{schema.Threshold, "threshold:rms", "sample=3",
			"novel=0.5"}).Draw(t, "select"),
		Learner: schema.Sweeps,
		Data:    rapid.SampledFrom([]schema.Digest{{}, {31: 1}, {0: 255}}).Draw(t, "data"),

		Options:           rapid.SampledFrom([]schema.Lifetime{"", "replace", "last=7"}).Draw(t, "options"),
		OptionProbability: rapid.SampledFrom([]float64{0, 0.05, 1}).Draw(t, "option probability"),
		Behaviour:         rapid.SampledFrom([]schema.Behaviour{"", "zeta=2", "geometric=2.5"}).Draw(t, "behaviour"),
		Sides:             rapid.SampledFrom([]schema.Sides{"", "one"}).Draw(t, "sides"),

		LeaveOut: rapid.SampledFrom([][]uint64{nil, {0}, {3, 17}}).Draw(t, "leave out"),
	}
}

// roundTrip checks that decode(encode(x)) is x and encode(decode(b)) is b.
func roundTrip[T any](draw func(*rapid.T) T, encode func(T) ([]byte, error),
	decode func([]byte) (T, error)) func(*rapid.T) {
	return func(t *rapid.T) {
		x := draw(t)
		b, err := encode(x)
		if err != nil {
			t.Fatal(err)
		}
		y, err := decode(b)
		if err != nil {
			t.Fatalf("decode %x: %v", b, err)
		}
		if diff := cmp.Diff(x, y, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("decoded (-want +got):\n%s", diff)
		}
		again, err := encode(y)
		if err != nil || !bytes.Equal(again, b) {
			t.Fatalf("encoded again\n%x, %v; want\n%x", again, err, b)
		}
	}
}

func TestRoundTrip(t *testing.T) {
	tests := []struct {
		name  string
		check func(*rapid.T)
	}{
		{"observations", roundTrip(drawObservations, schema.Observations.Encode, schema.DecodeObservations)},
		{"transitions", roundTrip(drawTransitions, schema.Transitions.Encode, schema.DecodeTransitions)},
		{"rewards", roundTrip(drawRewards, schema.Rewards.Encode, schema.DecodeRewards)},
		{"rows", roundTrip(drawRows, schema.Rows.Encode, schema.DecodeRows)},
		{"factors", roundTrip(drawFactors, schema.Factors.Encode, schema.DecodeFactors)},
		{"partial factors", roundTrip(drawPartialFactors, schema.Factors.Encode, schema.DecodeFactors)},
		{"factors of columns", roundTrip(drawFactorsOfColumns, schema.Factors.Encode, schema.DecodeFactors)},
		{"selection", roundTrip(drawSelection, schema.Selection.Encode, schema.DecodeSelection)},
		{"option", roundTrip(drawOption, schema.Option.Encode, schema.DecodeOption)},
		{"value", roundTrip(drawValue, schema.Value.Encode, schema.DecodeValue)},
		{"theta", roundTrip(drawTheta, schema.Theta.Encode, schema.DecodeTheta)},
		{"measures", roundTrip(drawMeasures, schema.Measures.Encode, schema.DecodeMeasures)},
		{"external measures", roundTrip(drawExternalMeasures, schema.ExternalMeasures.Encode, schema.DecodeExternalMeasures)},
		{"spec", roundTrip(drawSpec, encodeSpec, decodeSpec)},
	}
	for _, tt := range tests {
		t.Run(tt.name, rapid.MakeCheck(tt.check))
	}
}

// drawRewards returns few rewards often, and sometimes more than a table lists.
func drawRewards(t *rapid.T) schema.Rewards {
	r := schema.Rewards(rapid.SliceOfN(rapid.SampledFrom([]float64{-1, 0, 20, 0.1}), 0, 40).Draw(t, "rewards"))
	for i := range rapid.SampledFrom([]int{0, 0, 1, 3, 124, 125, 129, 200}).Draw(t, "others") {
		r = append(r, float64(i)+rapid.Float64Range(0.25, 0.75).Draw(t, "reward"))
	}
	return r
}

func drawObservations(t *rapid.T) schema.Observations {
	o := schema.Observations{First: rapid.Uint64Range(0, 1<<40).Draw(t, "first"),
		Dims: rapid.IntRange(1, 12).Draw(t, "dims")}
	n := rapid.IntRange(0, 9).Draw(t, "n")
	switch o.Kind = rapid.SampledFrom([]schema.Observation{schema.Discrete, schema.Binary, schema.Real}).Draw(t,
		"kind"); o.Kind {
	case schema.Discrete:
		o.Numbers = rapid.SliceOfN(rapid.Uint32Range(0, uint32(o.Dims-1)), n, n).Draw(t, "numbers")
	case schema.Binary:
		o.Bits = rapid.SliceOfN(rapid.Uint8Range(0, 1), n*o.Dims, n*o.Dims).Draw(t, "bits")
	case schema.Real:
		o.Values = floats(t, n*o.Dims, "values")
		for i := range o.Values {
			o.Values[i] += 0 // no −0
		}
	}
	return o
}

func drawTheta(t *rapid.T) schema.Theta {
	x := schema.NewTheta(rapid.IntRange(1, 4).Draw(t, "actions"), rapid.IntRange(0, 5).Draw(t, "features"))
	copy(x.Weights, floats(t, len(x.Weights), "weights"))
	return x
}

func drawValue(t *rapid.T) schema.Value { return rapid.SliceOf(allFinite).Draw(t, "v") }

func encodeSpec(s schema.Spec) ([]byte, error) { return wire.Marshal(s) }

func decodeSpec(b []byte) (schema.Spec, error) {
	var s schema.Spec
	return s, wire.Unmarshal(b, &s)
}

// TestNoEncoding: NaN and infinities are refused wherever a float can stand.
func TestNoEncoding(t *testing.T) {
	with := func(change func(*schema.Spec)) func() ([]byte, error) {
		s := paper()
		change(&s)
		return func() ([]byte, error) { return wire.Marshal(s) }
	}
	for _, x := range []float64{math.NaN(), math.Inf(1), math.Inf(-1)} {
		one := []float64{x}
		tests := []struct {
			place  string
			encode func() ([]byte, error)
		}{
			{"rows", schema.Factors{Dims: 1, Total: 1, Rows: schema.NewSparseRows(1, one), Counts: []int64{1},
				Sigma: []float64{0}, V: []float64{1}}.Encode},
			{"data", schema.Rows{Dims: 1, Total: 1, Rows: one, Counts: []int64{1}}.Encode},
			{"sigma", schema.Factors{Dims: 1, Sigma: one}.Encode},
			{"V", schema.Factors{Dims: 1, V: one}.Encode},
			{"observation", schema.Observations{Kind: schema.Real, Dims: 1, Values: one}.Encode},
			{"reward", schema.Rewards{0, x}.Encode},
			{"value", schema.Value{0, x}.Encode},
			{"theta", schema.Theta{Actions: 1, Width: 1, Weights: one}.Encode},
			{"vector", schema.Option{Arity: 1, Purpose: schema.Purpose{Vector: one}}.Encode},
			{"option sigma", schema.Option{Arity: 1, Purpose: schema.Purpose{Sigma: x}}.Encode},
			{"reach", schema.Option{Arity: 1, Certificate: schema.Certificate{Reach: &x}}.Encode},
			{"peak q", schema.Option{Arity: 1, Certificate: schema.Certificate{PeakQ: x}}.Encode},
			{"certified tolerance", schema.Option{Arity: 1, Certificate: schema.Certificate{Tolerance: x}}.Encode},
			{"option length", schema.Measures{OptionLength: &x}.Encode},
			{"mean reach", schema.Measures{Reach: &x}.Encode},
			{"judged number", schema.Selection{Directions: []schema.Direction{{Sigma: 1, Number: x}}}.Encode},
			{"kappa", with(func(s *schema.Spec) { s.Kappa = x })},
			{"gamma", with(func(s *schema.Spec) { s.Gamma = x })},
			{"tolerance", with(func(s *schema.Spec) { s.Tolerance = x })},
		}
		for _, tt := range tests {
			if b, err := tt.encode(); err == nil {
				t.Errorf("%v as %s was encoded: %x", x, tt.place, b)
			}
		}
		if _, err := (schema.Value{0, x}).Encode(); schema.Remedy(err) == "" {
			t.Errorf("%v: no remedy", err)
		}
	}
}

// TestMixedSigns: a selection gives each direction one sign, or none.
func TestMixedSigns(t *testing.T) {
	for _, signs := range [][2]schema.Sign{{1, 0}, {0, -1}, {1, 2}} {
		s := schema.Selection{Directions: []schema.Direction{{Sigma: 2, Sign: signs[0]}, {Sigma: 1, Sign: signs[1]}}}
		if _, err := s.Encode(); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("signs %v: %v", signs, err)
		}
	}
}

// TestInitiation: DecodeInitiation returns the sets of the decoded option.
func TestInitiation(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		o := drawOption(t)
		record, err := o.Encode()
		if err != nil {
			t.Fatal(err)
		}
		i, err := schema.DecodeInitiation(record)
		if err != nil || i.States != len(o.Policy) || len(i.Words) != (len(o.Policy)+63)/64 {
			t.Fatalf("%d states in %d words, %v; want %d states", i.States, len(i.Words), err, len(o.Policy))
		}
		for s := range 64 * len(i.Words) {
			if in := i.Words[s/64]>>(s%64)&1 == 1; in != o.CanStart(s) {
				t.Fatalf("state %d is in I: %v", s, in)
			}
			if o.Purpose.Start != nil && (i.Acts[s/64]>>(s%64)&1 == 1) == o.EndsIn(s) {
				t.Fatalf("state %d is in T: %v", s, o.EndsIn(s))
			}
		}
		if _, err := schema.DecodeInitiation(record[:len(record)-1]); err == nil {
			t.Fatal("a record without its end was decoded")
		}
	})
}
