package storetest

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/codec"
)

// TinySpec returns the spec of a run of one iteration on the ring of 3 bits, for stores that are mostly rows.
func TinySpec(seed uint64) schema.Spec {
	s := Spec(seed)
	s.Steps, s.Env.Params = 20, map[string]int64{"bits": 3, "hide": 0}
	return s
}

// NewStoreOfManyRuns makes a store of n tiny runs, each with the given number of pairs of a value table and an
// option, in a few large transactions.
func NewStoreOfManyRuns(t testing.TB, path string, n, pairs int) *tracker.Store {
	t.Helper()
	s := tracker.New(path, tracker.Options{})
	OK(t, s.Create(t.Context()))
	const atOnce = 1000 // more rows in random order would make long leaves, in which an insertion moves many rows
	r := rand.New(rand.NewPCG(1, 2))
	for first := 0; first < n; first += atOnce {
		OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
			for seed := first; seed < min(first+atOnce, n); seed++ {
				putTinyRun(t, tx, r, uint64(seed), pairs)
			}
			return nil
		}))
	}
	return s
}

func putTinyRun(t testing.TB, tx *tracker.Tx, r *rand.Rand, seed uint64, pairs int) {
	t.Helper()
	run, err := tx.CreateRun(tracker.Claim{Spec: TinySpec(seed)})
	OK(t, err)
	var list []schema.Entry
	for range pairs {
		value := make(schema.Value, 8)
		option := schema.Option{
			Arity: 2, Policy: make([]int8, len(value)), Certificate: schema.Certificate{Termination: schema.Proved},
			Purpose: schema.Purpose{J: 1, Sign: 1, Sigma: r.Float64(), Vector: make([]float64, 3)},
		}
		for i := range value {
			value[i], option.Policy[i] = r.Float64(), int8(r.IntN(3))-1
		}
		for kind, raw := range map[schema.Kind][]byte{
			schema.KindValue: Encoded(t, value), schema.KindOption: Encoded(t, option),
		} {
			list = append(list, schema.Entry{Kind: kind, Name: schema.Name(raw)})
			OK(t, tx.Rows().AppendRecord(schema.Name(raw), Unpacked(raw)))
		}
	}
	link, err := schema.Link(0, run.ID, list)
	OK(t, err)
	OK(t, tx.UpdateAnnotation(run.ID, func(a *tracker.Annotation) { a.Target = 1 }))
	OK(t, tx.AddTag(run.ID, fmt.Sprint("block", seed/1000)))
	OK(t, tx.PutIteration(run.ID, 0, schema.Iteration{Link: link, Records: list},
		tracker.Cost{Stages: map[string]int64{"learn": 1_000_000}}))
	OK(t, tx.PutSession(run.ID, 0, tracker.Session{Started: 1, Ended: 2, Host: "host", To: 1}))
}

// Unpacked returns the stored form of an incompressible record.
func Unpacked(raw []byte) []byte {
	return append(binary.AppendUvarint([]byte{codec.Raw}, uint64(len(raw))), raw...)
}
