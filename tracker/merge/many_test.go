package merge_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/rows"
)

// newStoreOfManyRuns makes a store of n tiny runs, each with the given number of pairs of a value table and an
// option, in a few large transactions.
func newStoreOfManyRuns(t testing.TB, path string, n, pairs int) *tracker.Store {
	t.Helper()
	s := tracker.New(path, tracker.Options{})
	OK(t, s.Create(t.Context()))
	const atOnce = 1000 // more rows in random order would make long leaves, in which an insertion moves many rows
	r := rand.New(rand.NewPCG(1, 2))
	for first := 0; first < n; first += atOnce {
		OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
			for seed := first; seed < min(first+atOnce, n); seed++ {
				addTinyRun(t, tx, r, uint64(seed), pairs)
			}
			return nil
		}))
	}
	return s
}

// tinySpec returns the spec of a run of one iteration on the ring of 3 bits, for stores that are mostly rows.
func tinySpec(seed uint64) schema.Spec {
	s := Spec(seed)
	s.Steps, s.Env.Params = 20, map[string]int64{"bits": 3, "hide": 0}
	return s
}

func addTinyRun(t testing.TB, tx *tracker.Tx, r *rand.Rand, seed uint64, pairs int) {
	run, err := tx.CreateRun(tracker.Claim{Spec: tinySpec(seed)})
	OK(t, err)
	var list []schema.Entry
	for range pairs {
		option := drawOption(r, 8, 8)
		option.Purpose.Vector = option.Purpose.Vector[:3]
		for kind, record := range map[schema.Kind]interface{ Encode() ([]byte, error) }{schema.KindValue: drawValue(r, 8, 8),
			schema.KindOption: option} {
			raw := Encoded(t, record)
			e := schema.Entry{Kind: kind, Name: schema.Name(raw)}
			OK(t, tx.Rows().AppendRecord(e.Name, Unpacked(raw)))
			list = append(list, e)
		}
	}
	link, err := schema.Link(0, run.ID, list)
	OK(t, err)
	a, err := tx.ReadAnnotation(run.ID)
	OK(t, err)
	a.Target = 1
	OK(t, rows.Write(tx.Rows(), rows.BucketAnnotations, run.ID[:], a))
	OK(t, tx.AddTag(run.ID, fmt.Sprint("block", seed/1000)))
	OK(t, tx.Rows().PutIteration(run.ID, 0, schema.Iteration{Link: link, Records: list}))
	OK(t, rows.Write(tx.Rows(), rows.BucketCosts, rows.PartKey(run.ID, 0),
		tracker.Cost{Stages: map[string]int64{"learn": 1_000_000}}))
	OK(t, rows.Write(tx.Rows(), rows.BucketSessions, rows.PartKey(run.ID, 0),
		tracker.Session{Started: 1, Ended: 2, Host: "host", To: 1}))
}

// drawValue returns a value table that repeats after period states, except for its last bits.
func drawValue(r *rand.Rand, states, period int) schema.Value {
	x := make(schema.Value, states)
	for s := range x {
		switch {
		case s < period:
			x[s] = r.Float64()
		case r.IntN(16) == 0: // another rounding
			x[s] = math.Nextafter(x[s-period], 2)
		default:
			x[s] = x[s-period]
		}
	}
	return x
}

// drawOption returns an option whose policy repeats after period states.
func drawOption(r *rand.Rand, states, period int) schema.Option {
	p := schema.Option{
		Arity: 2, Policy: make([]int8, states), Purpose: schema.Purpose{J: 1 + r.IntN(12), Sign: 1,
			Sigma: r.Float64(), Vector: make([]float64, 12)},
		Certificate: schema.Certificate{Termination: schema.Proved, Acyclic: true, Reach: new(float64),
			PeakQ: -r.Float64(), Tolerance: 1e-9},
	}
	for s := range p.Policy {
		if p.Policy[s] = int8(r.IntN(3)) - 1; s >= period {
			p.Policy[s] = p.Policy[s-period]
		}
	}
	return p
}
