package evaluation

import (
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

const digestDomain = "podtrack/evaluation/1"

// The versions of the layout of a record's payload.
const (
	stepsVersion    = 1
	rewardedVersion = 2 // of rewards, with returns
)

// A Record is the performance of an iteration's options on one or many tasks: for each
// task, arm and seed, the steps of each episode to the goal. It refers to the iteration's
// link and is part of no chain.
type Record struct {
	Link    schema.Digest // of the iteration
	Spec    Spec
	Options int      // number of options that were evaluated
	Steps   []uint32 // by task, arm, seed and episode; 0 if the goal was not reached

	// Returns has the sum of the rewards of each episode, if recorded rewards are the task; else it is nil. Steps
	// then counts to the end of the episode, and is 0 if it was truncated.
	Returns []float64
}

// ArmOptions is the arm of the primitive actions and the options.
const ArmOptions = "options"

// Arms returns the arms of an evaluation, the action sets that it compares, in order: the options and the baselines.
func (e Spec) Arms() []string { return append([]string{ArmOptions}, e.Against...) }

// Curve returns the steps of an arm's episodes with the i-th seed, in the first task.
func (e Record) Curve(arm, i int) []uint32 {
	at := (arm*len(e.Spec.Seeds) + i) * e.Spec.Episodes
	return e.Steps[at : at+e.Spec.Episodes]
}

// CurveOfReturns returns the returns of an arm's episodes with the i-th seed, or nil if rewards are not the
// task.
func (e Record) CurveOfReturns(arm, i int) []float64 {
	if e.Returns == nil {
		return nil
	}
	at := (arm*len(e.Spec.Seeds) + i) * e.Spec.Episodes
	return e.Returns[at : at+e.Spec.Episodes]
}

// Task returns the evaluation of the i-th task alone.
func (e Record) Task(i int) Record {
	n := len(e.Spec.Arms()) * len(e.Spec.Seeds) * e.Spec.Episodes
	e.Spec, e.Steps = e.Spec.Of(e.Spec.AllTasks()[i]), e.Steps[i*n:(i+1)*n]
	return e
}

// Digest returns SHA-256("podtrack/evaluation/1" ‖ CBOR[link, spec]), the key
// under which an evaluation is found.
func Digest(link schema.Digest, s Spec) (schema.Digest, error) {
	return schema.HashCBOR(digestDomain, struct {
		_    struct{} `cbor:",toarray"`
		Link schema.Digest
		Spec Spec
	}{Link: link, Spec: s})
}

// recordMeta is the CBOR item at the front of an evaluation record's payload.
type recordMeta struct {
	Link    schema.Digest `cbor:"link"`
	Spec    Spec          `cbor:"spec"`
	Options int           `cbor:"options"`
}

// Encode returns the record's bytes. Shape: [arms, seeds, episodes], for many tasks [tasks,
// arms, seeds, episodes]. Payload: CBOR {link, options, spec} ‖ steps u32 ‖ in version 2, of
// rewards, returns f64.
func (e Record) Encode() ([]byte, error) {
	version := uint64(stepsVersion)
	if e.Spec.Reward {
		version = rewardedVersion
	}
	p := schema.NewVersionedWriter(nil, schema.KindEvaluation, version, 512+4*len(e.Steps)+8*len(e.Returns), e.shape()...)
	p.WriteCBOR(recordMeta{Link: e.Link, Spec: e.Spec, Options: e.Options})
	p.WriteUint32s(e.Steps...)
	p.WriteFloats(e.Returns)
	if err := e.check(); err != nil {
		p.Fail(err)
	}
	return p.Finish(schema.KindEvaluation)
}

func (e Record) shape() []uint64 {
	shape := []uint64{uint64(len(e.Spec.Arms())), uint64(len(e.Spec.Seeds)), uint64(e.Spec.Episodes)}
	if len(e.Spec.Tasks) > 0 {
		return append([]uint64{uint64(len(e.Spec.Tasks))}, shape...)
	}
	return shape
}

// maxShape is the largest shape, its last dimension first.
var maxShape = []uint64{maxEpisodes, maxSeeds, maxArms, MaxTasks}

// DecodeRecord decodes what [Record.Encode] returns.
func DecodeRecord(record []byte) (Record, error) {
	h, err := schema.ReadShape(record)
	if err != nil {
		return Record{}, err
	}
	dims := 3
	if h[3] > 0 {
		dims = 4 // of many tasks
	}
	shape, u, err := schema.OpenRecord(record, schema.KindEvaluation, dims)
	if err != nil {
		return Record{}, err
	}
	if u.Version != stepsVersion && u.Version != rewardedVersion {
		return Record{}, u.Wrap(fmt.Errorf("%w: version %d", wire.ErrVersion, u.Version))
	}
	var meta recordMeta
	u.ReadCBOR(&meta)
	episodes := uint64(1)
	for i, n := range shape {
		if n > maxShape[len(shape)-1-i] {
			u.Fail(fmt.Errorf("%w: shape %v", wire.ErrMalformed, shape))
			return Record{}, u.Wrap(u.End())
		}
		episodes *= n // below 2⁶³ by the limits
	}
	e := Record{Link: meta.Link, Spec: meta.Spec, Options: meta.Options, Steps: u.ReadUint32s(episodes)}
	if u.Version == rewardedVersion {
		e.Returns = u.ReadFloats(episodes)
	}
	if err := u.End(); err != nil {
		return Record{}, u.Wrap(err)
	}
	if err := e.check(); err != nil {
		return Record{}, u.Wrap(err)
	}
	if !slices.Equal(e.shape(), shape) {
		return Record{}, u.Wrap(fmt.Errorf("%w: shape %v, but its spec makes shape %v", wire.ErrMalformed, shape,
			e.shape()))
	}
	return e, nil
}

// CheckRecord returns an error unless a record of the given kind is valid. It checks records of evaluations, and leaves
// all others to [schema.CheckRecord].
func CheckRecord(kind schema.Kind, record []byte) error {
	if kind != schema.KindEvaluation {
		return schema.CheckRecord(kind, record)
	}
	_, err := DecodeRecord(record)
	return err
}

// Limits of what an evaluation compares.
const (
	MaxOptions = 1<<16 - 3
	maxArms    = 4 // the options and all baselines
)

func (e Record) check() error {
	spec := e.Spec
	if err := spec.Validate(); err != nil {
		return fmt.Errorf("%w: %w", wire.ErrMalformed, err)
	}
	if math.Signbit(e.Spec.Epsilon) {
		return fmt.Errorf("%w: epsilon is -0", wire.ErrNotCanonical)
	}
	if e.Options < 0 || e.Options > MaxOptions {
		return fmt.Errorf("%w: %d options, not 0 to %d", wire.ErrMalformed, e.Options, MaxOptions)
	}
	want := uint64(1)
	for _, n := range e.shape() {
		want *= n
	}
	if uint64(len(e.Steps)) != want {
		return fmt.Errorf("%w: %d episodes, expected %d", wire.ErrMalformed, len(e.Steps), want)
	}
	if e.Spec.Reward != (e.Returns != nil) || e.Returns != nil && len(e.Returns) != len(e.Steps) {
		return fmt.Errorf("%w: %d returns for %d episodes", wire.ErrMalformed, len(e.Returns), len(e.Steps))
	}
	for i, x := range e.Returns {
		if x == 0 && math.Signbit(x) {
			return fmt.Errorf("%w: the return of episode %d is -0", wire.ErrNotCanonical, i)
		}
	}
	for i, n := range e.Steps {
		if int64(n) > spec.Limit {
			return fmt.Errorf("%w: episode %d took %d steps, more than %d", wire.ErrMalformed, i, n, spec.Limit)
		}
	}
	return nil
}
