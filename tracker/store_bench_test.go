package tracker

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// newStoreOfRings makes a store of runs on a ring of about 12 bits.
var newStoreOfRings = newBenchmarkStore{runs: 64, pairs: 24, states: 4096, period: 256}

// newBenchmarkStore makes a store of runs of 4 iterations, each with so many pairs of a value table
// and an option.
type newBenchmarkStore struct {
	runs, pairs, states int
	period              int // states after which a table comes again, but for its last bits
}

func (o newBenchmarkStore) make(b *testing.B) (s *Store, raw int) {
	b.Helper()
	s, _ = newTestStore(b)
	w := s.StartWriter(b.Context())
	r := rand.New(rand.NewPCG(1, 2))
	for seed := range uint64(o.runs) {
		rw, st := acquire(b, w, seed, 4)
		link := st.Run.ID
		for k := range 4 {
			var list []schema.Entry
			for range o.pairs {
				for i, record := range [][]byte{encoded(b, o.value(r)), encoded(b, o.option(r))} {
					name, err := rw.Put(record)
					ok(b, err)
					list = append(list, schema.Entry{Kind: []schema.Kind{schema.KindValue, schema.KindOption}[i],
						Name: name})
					raw += len(record)
				}
			}
			var err error
			link, err = schema.Link(k, link, list)
			ok(b, err)
			ok(b, rw.SealIteration(k, schema.Iteration{Link: link, Records: list},
				Cost{Stages: map[string]int64{"learn": 1}}))
		}
		rw.Release(nil)
	}
	ok(b, w.Close(b.Context()))
	return s, raw
}

func (o newBenchmarkStore) value(r *rand.Rand) schema.Value {
	x := make(schema.Value, o.states)
	for s := range x {
		switch {
		case s < o.period:
			x[s] = r.Float64()
		case r.IntN(16) == 0: // another rounding
			x[s] = math.Nextafter(x[s-o.period], 2)
		default:
			x[s] = x[s-o.period]
		}
	}
	return x
}

func (o newBenchmarkStore) option(r *rand.Rand) schema.Option {
	p := schema.Option{
		Arity: 2, Policy: make([]int8, o.states), Purpose: schema.Purpose{J: 1 + r.IntN(12), Sign: 1,
			Sigma: r.Float64(), Vector: make([]float64, 12)},
		Certificate: schema.Certificate{Termination: schema.Proved, Acyclic: true, Reach: new(float64),
			PeakQ: -r.Float64(), Tolerance: 1e-9},
	}
	for s := range p.Policy {
		if p.Policy[s] = int8(r.IntN(3)) - 1; s >= o.period {
			p.Policy[s] = p.Policy[s-o.period]
		}
	}
	return p
}
