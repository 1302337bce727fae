package schema

import (
	"fmt"
	"math"
)

const evaluationDomain = "podtrack/evaluation/1"

// An Evaluation is the performance of an iteration's options on a task: for each arm and
// seed, the steps of each episode to the goal. It refers to the iteration's link and is
// part of no chain.
type Evaluation struct {
	Link    Digest // of the iteration
	Spec    EvaluationSpec
	Options int      // number of options that were evaluated
	Steps   []uint32 // by arm, seed and episode; 0 if the goal was not reached
}

// An Arm is one of the action sets that an evaluation compares.
type Arm struct {
	Name    string `json:"name"`              // ArmOptions, one of Baselines, or ArmWithout
	Without *int   `json:"without,omitempty"` // index of the option that is left out
}

// The arms that are not baselines.
const (
	ArmOptions = "options" // primitive actions and the options
	ArmWithout = "without" // all but one of these options
)

// Arms returns the arms of an evaluation of the given number of options, in order: the
// options, the baselines, and each option left out.
func (s EvaluationSpec) Arms(options int) []Arm {
	arms := []Arm{{Name: ArmOptions}}
	for _, name := range s.Against {
		arms = append(arms, Arm{Name: name})
	}
	for i := 0; s.LeaveOut && i < options; i++ {
		arms = append(arms, Arm{Name: ArmWithout, Without: &i})
	}
	return arms
}

// Curve returns the steps of an arm's episodes with the i-th seed.
func (e Evaluation) Curve(arm, i int) []uint32 {
	at := (arm*len(e.Spec.Seeds) + i) * e.Spec.Episodes
	return e.Steps[at : at+e.Spec.Episodes]
}

// EvaluationDigest returns SHA-256("podtrack/evaluation/1" ‖ CBOR[link, spec]), the key
// under which an evaluation is found.
func EvaluationDigest(link Digest, s EvaluationSpec) (Digest, error) {
	return hashCBOR(evaluationDomain, struct {
		_    struct{} `cbor:",toarray"`
		Link Digest
		Spec EvaluationSpec
	}{Link: link, Spec: s})
}

// evaluationMeta is the CBOR item at the front of an evaluation record's payload.
type evaluationMeta struct {
	Link    Digest         `cbor:"link"`
	Spec    EvaluationSpec `cbor:"spec"`
	Options int            `cbor:"options"`
}

// Encode returns the record's bytes. Shape: [arms, seeds, episodes]. Payload: CBOR {link,
// options, spec} ‖ steps u32.
func (e Evaluation) Encode() ([]byte, error) {
	p := newRecordWriter(KindEvaluation, 512+4*len(e.Steps), e.shape()...)
	p.writeCBOR(evaluationMeta{Link: e.Link, Spec: e.Spec, Options: e.Options})
	p.uint32s(e.Steps...)
	if err := e.check(); err != nil {
		p.fail(err)
	}
	return p.finish(KindEvaluation)
}

func (e Evaluation) shape() []uint64 {
	return []uint64{uint64(len(e.Spec.Arms(e.Options))), uint64(len(e.Spec.Seeds)), uint64(e.Spec.Episodes)}
}

// DecodeEvaluation decodes what [Evaluation.Encode] returns.
func DecodeEvaluation(record []byte) (Evaluation, error) {
	shape, u, err := openRecord(record, KindEvaluation, 3)
	if err != nil {
		return Evaluation{}, err
	}
	var meta evaluationMeta
	u.readCBOR(&meta)
	if shape[0] > MaxArms || shape[1] > MaxSeeds || shape[2] > MaxEpisodes {
		u.fail(fmt.Errorf("%w: shape %v", ErrMalformed, shape))
		return Evaluation{}, wrapDecodeError(KindEvaluation, u.end())
	}
	e := Evaluation{Link: meta.Link, Spec: meta.Spec, Options: meta.Options,
		Steps: u.uint32s(shape[0] * shape[1] * shape[2])}
	if err := u.end(); err != nil {
		return Evaluation{}, wrapDecodeError(KindEvaluation, err)
	}
	if err := e.check(); err != nil {
		return Evaluation{}, wrapDecodeError(KindEvaluation, err)
	}
	for i, n := range e.shape() {
		if n != shape[i] {
			return Evaluation{}, wrapDecodeError(KindEvaluation,
				fmt.Errorf("%w: shape %v of an evaluation of shape %v", ErrMalformed, shape, e.shape()))
		}
	}
	return e, nil
}

// MaxArms is the largest number of arms that an evaluation compares.
const MaxArms = 1 << 16

func (e Evaluation) check() error {
	spec := e.Spec
	if err := spec.Validate(); err != nil {
		return fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if math.Signbit(e.Spec.Epsilon) {
		return fmt.Errorf("%w: epsilon is -0", ErrNotCanonical)
	}
	if e.Options < 0 || e.Options > MaxArms-len(Baselines)-1 {
		return fmt.Errorf("%w: %d options", ErrMalformed, e.Options)
	}
	shape := e.shape()
	if want := shape[0] * shape[1] * shape[2]; uint64(len(e.Steps)) != want {
		return fmt.Errorf("%w: %d episodes of %d", ErrMalformed, len(e.Steps), want)
	}
	for i, n := range e.Steps {
		if int64(n) > spec.Limit {
			return fmt.Errorf("%w: episode %d took %d steps of %d", ErrMalformed, i, n, spec.Limit)
		}
	}
	return nil
}
