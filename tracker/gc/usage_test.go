package gc_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
)

// measure returns the usage of all runs of a store, and that of some together.
func measure(t *testing.T, s *tracker.Store, some []schema.Digest) (
	runs map[schema.Digest]*tracker.Usage, all tracker.Usage,
) {
	t.Helper()
	selected := map[schema.Digest]bool{}
	for _, id := range some {
		selected[id] = true
	}
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) (err error) {
		runs, all, err = tx.MeasureUsage(selected)
		return err
	}))
	return runs, all
}

// TestUsage: what runs and groups take is what sets of their records give, however many records are
// counted at once.
func TestUsage(t *testing.T) {
	n := schematest.Size(24, 60)
	s, ids := newStoreWithSharing(t, n)
	named := map[schema.Digest]map[schema.Digest]bool{} // by run
	stored := map[schema.Digest]int64{}
	runs := map[schema.Digest]int{} // that name a record
	OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		for _, id := range ids {
			its, err := tx.ReadIterations(id)
			OK(t, err)
			named[id] = map[schema.Digest]bool{}
			for _, e := range its[0].Records {
				named[id][e.Name] = true
				_, stored[e.Name], err = tx.RecordSizes(e.Name)
				OK(t, err)
			}
			for name := range named[id] {
				runs[name]++
			}
		}
		return nil
	}))
	expect := func(group ...schema.Digest) (u tracker.Usage) {
		times := map[schema.Digest]int{}
		for _, id := range group {
			for name := range named[id] {
				times[name]++
			}
		}
		for name, k := range times {
			u.Records++
			u.Stored += stored[name]
			if k == runs[name] {
				u.Exclusive += stored[name]
			}
		}
		return u
	}
	want := map[schema.Digest]*tracker.Usage{}
	for _, id := range ids {
		u := expect(id)
		want[id] = &u
	}
	r := rand.New(rand.NewPCG(1, 2))
	var selected []schema.Digest
	before := portion.Usage
	defer func() { portion.Usage = before }()
	for _, limit := range []int{before, 1, 7, 50} {
		portion.Usage = limit
		for range 5 {
			r.Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
			selected = append([]schema.Digest{}, ids[:r.IntN(n)]...)
			got, all := measure(t, s, selected)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%d at once (-want +got):\n%s", limit, diff)
			}
			Equal(t, "selected", all, expect(selected...))
		}
	}
	removed, err := gc.Remove(t.Context(), s, selected)
	OK(t, err)
	Equal(t, "bytes that a removal frees", removed.Stored, expect(selected...).Exclusive)
}

// TestUsageOfDamaged: a record that was not kept takes no space; one that is missing is an error.
func TestUsageOfDamaged(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "0123456789")
	name := schema.Name([]byte("0123456789"))
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		_, err := tx.Rows().PutTombstone(name)
		return err
	}))
	_, all := measure(t, s, []schema.Digest{RunID(t, 1)})
	Equal(t, "pruned", all, tracker.Usage{})
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error { return tx.Rows().Remove("digests", name[:]) }))
	WantErr(t, s.View(t.Context(), func(tx *tracker.Tx) error {
		_, err := tx.UsageOf(RunID(t, 1))
		return err
	}), tracker.ErrMissing)
}
