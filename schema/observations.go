package schema

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema/wire"
)

// Observations are those that first appear in a chunk of transitions, in the order in which they were observed. The
// index of each is that of the state that it stands for. Every observation of a run is in exactly one record.
type Observations struct {
	First   uint64      // index of the first one here
	Kind    Observation // decides which of the three below is set
	Dims    int         // features of an observation; the number of possible observations if discrete
	Numbers []uint32    // discrete: n, each under Dims
	Bits    []uint8     // binary: n×Dims
	Values  []float64   // real: n×Dims, never −0
}

// observationKinds are the kinds by their number in a record.
var observationKinds = []Observation{Discrete, Binary, Real}

// maxObservations is the largest number of observations of a chunk: the first state, and
// for each step its state and the one in which an episode begins after it.
const maxObservations = 2*ChunkSteps + 1

// Len returns the number n of observations.
func (o Observations) Len() int { return o.elements() / o.width() }

// elements returns the number of elements of all observations, of their kind.
func (o Observations) elements() int {
	switch o.Kind {
	case Discrete:
		return len(o.Numbers)
	case Binary:
		return len(o.Bits)
	}
	return len(o.Values)
}

// width returns the number of elements of one observation.
func (o Observations) width() int {
	if o.Kind == Discrete {
		return 1
	}
	return max(o.Dims, 1)
}

// Encode returns the record's bytes. Shape: [first, n, dims, kind]. Payload: numbers u32,
// packed bits or values f64, depending on the kind.
func (o Observations) Encode() ([]byte, error) {
	kind, n := slices.Index(observationKinds, o.Kind), uint64(o.Len())
	p := newRecordWriter(KindObservations, 4*len(o.Numbers)+len(o.Bits)/8+8*len(o.Values), o.First, n, uint64(o.Dims),
		uint64(kind))
	p.WriteUint32s(o.Numbers...)
	p.WritePacked(o.Bits, 1, 2)
	p.WriteFloats(o.Values)
	if err := o.check(); err != nil {
		p.Fail(err)
	}
	if all := len(o.Numbers) + len(o.Bits) + len(o.Values); kind < 0 || all != o.elements() || all%o.width() != 0 {
		p.Fail(fmt.Errorf("%w: %d numbers, %d bits and %d values of kind %q", wire.ErrMalformed, len(o.Numbers), len(o.Bits),
			len(o.Values), o.Kind))
	}
	return p.Finish(KindObservations)
}

// DecodeObservations decodes what [Observations.Encode] returns.
func DecodeObservations(record []byte) (Observations, error) {
	return decodeRecord(record, KindObservations, 4, (*recordReader).readObservations, Observations.check)
}

func (r *recordReader) readObservations() Observations {
	first, n, dims, kind := r.Shape[0], r.Shape[1], r.Shape[2], r.Shape[3]
	r.require(first <= 1<<40 && n <= maxObservations && dims >= 1 && dims <= maxDims &&
		kind < uint64(len(observationKinds)))
	if r.Failed() {
		return Observations{}
	}
	o := Observations{First: first, Kind: observationKinds[kind], Dims: int(dims)}
	switch o.Kind {
	case Discrete:
		o.Numbers = r.ReadUint32s(n)
	case Binary:
		o.Bits = r.ReadPacked(n*dims, 1, 2)
	case Real:
		o.Values = r.ReadFloats(n * dims)
	}
	return o
}

func (o Observations) check() error {
	for i, x := range o.Numbers {
		if int64(x) >= int64(o.Dims) {
			return fmt.Errorf("%w: observation %d is %d, not below %d", wire.ErrMalformed, i, x, o.Dims)
		}
	}
	return checkZeros("element", o.Values)
}
