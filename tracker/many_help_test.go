package tracker

import (
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/codec"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// tinySpec returns the spec of a run of one iteration on the ring of 3 bits, which costs rows and
// lookups but hardly records.
func tinySpec(seed uint64) schema.Spec {
	s := spec(seed)
	s.Steps, s.Env.Params = 20, map[string]int64{"bits": 3, "hide": 0}
	return s
}

// newStoreOfManyRuns makes a store of n tiny runs, each with so many own pairs of a value table and
// an option, in a few large transactions.
func newStoreOfManyRuns(t testing.TB, path string, n, pairs int) *Store {
	t.Helper()
	s := New(path, Options{})
	ok(t, s.Create(t.Context()))
	const atOnce = 1000 // more rows in no order would make long leaves, into which each goes by moving others
	shape := newBenchmarkStore{states: 8, period: 8}
	r := rand.New(rand.NewPCG(1, 2))
	for first := 0; first < n; first += atOnce {
		ok(t, s.updateSized(t.Context(), 32<<20, func(tx *Tx) error {
			for seed := first; seed < min(first+atOnce, n); seed++ {
				if err := shape.tinyRun(tx, r, uint64(seed), pairs); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	return s
}

func (o newBenchmarkStore) tinyRun(tx *Tx, r *rand.Rand, seed uint64, pairs int) error {
	run, err := tx.CreateRun(Claim{Spec: tinySpec(seed)})
	if err != nil {
		return err
	}
	var list []schema.Entry
	for range pairs {
		option := o.option(r)
		option.Purpose.Vector = option.Purpose.Vector[:3]
		for kind, record := range map[schema.Kind]interface{ Encode() ([]byte, error) }{schema.KindValue: o.value(r),
			schema.KindOption: option} {
			raw, err := record.Encode()
			if err != nil {
				return err
			}
			e := schema.Entry{Kind: kind, Name: schema.Name(raw)}
			if err := tx.rows.AppendRecord(e.Name, unpacked(raw)); err != nil {
				return err
			}
			list = append(list, e)
		}
	}
	link, err := schema.Link(0, run.ID, list)
	if err != nil {
		return err
	}
	a, err := tx.ReadAnnotation(run.ID)
	if err != nil {
		return err
	}
	a.Target = 1
	for _, err := range []error{
		tx.writeAnnotation(run.ID, a),
		tx.AddTag(run.ID, fmt.Sprint("block", seed/1000)),
		tx.rows.PutIteration(run.ID, 0, schema.Iteration{Link: link, Records: list}),
		rows.Write(tx.rows, rows.BucketCosts, rows.PartKey(run.ID, 0),
			Cost{Stages: map[string]int64{"learn": 1_000_000}}),
		rows.Write(tx.rows, rows.BucketSessions, rows.PartKey(run.ID, 0),
			Session{Started: 1, Ended: 2, Host: "host", To: 1}),
	} {
		if err != nil {
			return err
		}
	}
	return nil
}

// unpacked returns the stored form of an incompressible record.
func unpacked(raw []byte) []byte {
	return append(binary.AppendUvarint([]byte{codec.Raw}, uint64(len(raw))), raw...)
}
