package schema

import (
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema/wire"
)

const (
	runDomain       = "podtrack/run/1"
	iterationDomain = "podtrack/iteration/1"
	dataDomain      = "podtrack/data/1"
)

// An Entry is one record of an iteration, in stage order.
type Entry struct {
	_    struct{} `cbor:",toarray"`
	Kind Kind
	Name Digest
}

// An Iteration is a finished iteration: its link and the records that the link covers.
type Iteration struct {
	Link    Digest  `cbor:"link"`
	Records []Entry `cbor:"records"`
}

// OnlyRecord returns the name of the iteration's first record of the given kind, for kinds
// that have at most one. It returns [wire.ErrMalformed] if there is none.
func (i Iteration) OnlyRecord(kind Kind) (Digest, error) {
	for _, e := range i.Records {
		if e.Kind == kind {
			return e.Name, nil
		}
	}
	return Digest{}, fmt.Errorf("%w: iteration lists no %s record", wire.ErrMalformed, kind)
}

// RecordsOf returns the names of the iteration's records of the given kind, in order.
func (i Iteration) RecordsOf(kind Kind) []Digest {
	var names []Digest
	for _, e := range i.Records {
		if e.Kind == kind {
			names = append(names, e.Name)
		}
	}
	return names
}

// RunID returns SHA-256("podtrack/run/1" ‖ CBOR[spec, start]). start is the link from
// which a fork starts, nil for a run that is not a fork.
func RunID(s Spec, start *Digest) (Digest, error) {
	return hashCBOR(runDomain, struct {
		_     struct{} `cbor:",toarray"`
		Spec  Spec
		Start *Digest
	}{Spec: s, Start: start})
}

// RunIDOfEncodedSpec returns the [RunID] of a run that is not a fork, given the canonical bytes of its spec.
func RunIDOfEncodedSpec(spec []byte) Digest {
	const pair, null = "\x82", "\xf6" // heads of CBOR
	return sha256.Sum256(slices.Concat([]byte(runDomain+pair), spec, []byte(null)))
}

// Family returns the [RunID] that the spec has with seed 0. Runs whose specs differ only in the seed have it in common.
func (s Spec) Family() (Digest, error) {
	s.Seed = 0
	return RunID(s, nil)
}

// DataDigest returns SHA-256("podtrack/data/1" ‖ CBOR[[kind, name] …]) of the records that were imported as iteration 0
// in place of its own steps. It is part of the spec, so that a run's ID also covers what cannot be recomputed.
func DataDigest(records []Entry) (Digest, error) { return hashCBOR(dataDomain, records) }

// Link returns SHA-256("podtrack/iteration/1" ‖ CBOR[k, previous, records]). For a run's
// first own iteration, previous is the run's ID.
func Link(k int, previous Digest, records []Entry) (Digest, error) {
	if k < 0 {
		return Digest{}, fmt.Errorf("link iteration %d: %w", k, wire.ErrMalformed)
	}
	return hashCBOR(iterationDomain, struct {
		_        struct{} `cbor:",toarray"`
		K        int
		Previous Digest
		Records  []Entry
	}{K: k, Previous: previous, Records: records})
}
