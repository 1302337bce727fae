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

// TestUsage: what runs and groups take is what sets of their records give, however many records are
// counted at once, and so is what all records of the store take.
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
	expect := func(group []schema.Digest) (u gc.RecordUsage) {
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
		u.Shared = u.Stored - u.Exclusive
		return u
	}
	r := rand.New(rand.NewPCG(1, 2))
	groups := [][]schema.Digest{nil, ids}
	for _, id := range ids {
		groups = append(groups, []schema.Digest{id})
	}
	for range 20 {
		r.Shuffle(n, func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		groups = append(groups, append([]schema.Digest{}, ids[:r.IntN(n)]...))
	}
	selected := groups[len(groups)-1]
	var want []gc.RecordUsage
	for _, g := range groups {
		want = append(want, expect(g))
	}
	whole := expect(ids)
	before, uses := portion.Usage, portion.Uses
	defer func() { portion.Usage, portion.Uses = before, uses }()
	for _, limit := range []int{before, 1, 7, 50} {
		portion.Usage, portion.Uses = limit, limit
		u, err := gc.MeasureUsage(t.Context(), s, gc.UsageOptions{Runs: selected, Groups: groups})
		OK(t, err)
		if diff := cmp.Diff(want, u.Parts); diff != "" {
			t.Errorf("%d at once (-want +got):\n%s", limit, diff)
		}
		Equal(t, "selected", u.Total, expect(selected))
		Equal(t, "records", u.Store.Records, whole.Records)
		Equal(t, "bytes", u.Store.Stored, whole.Stored)
		var kinds gc.RecordUsage
		for _, k := range u.Kinds {
			kinds.Records, kinds.Stored = kinds.Records+k.Records, kinds.Stored+k.Stored
		}
		Equal(t, "records by kind", kinds.Records, u.Total.Records)
		Equal(t, "bytes by kind", kinds.Stored, u.Total.Stored)
	}
	removed, err := gc.Remove(t.Context(), s, selected)
	OK(t, err)
	Equal(t, "bytes that a removal frees", removed.Stored, expect(selected).Exclusive)
}

// TestUsageOfPruned: a pruned record counts, and takes no space.
func TestUsageOfPruned(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "0123456789")
	id := RunID(t, 1)
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		_, err := tx.Rows().PutTombstone(schema.Name([]byte("0123456789")))
		return err
	}))
	u, err := gc.MeasureUsage(t.Context(), s, gc.UsageOptions{Runs: []schema.Digest{id}, Groups: [][]schema.Digest{{id}}})
	OK(t, err)
	want := gc.RecordUsage{Records: 1, Pruned: 1}
	Equal(t, "of the run", u.Parts[0], want)
	Equal(t, "of the store", u.Store, want)
	Equal(t, "of the selection", u.Total, want)
	if u.File <= u.Free || u.Free < 0 {
		t.Errorf("the file has %d bytes, %d of them free", u.File, u.Free)
	}
}

// TestUsageOfDamaged: a record that is missing, or a row that cannot be read, is an error.
func TestUsageOfDamaged(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "0123456789")
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		_, err := tx.Rows().DeleteRecord(schema.Name([]byte("0123456789")))
		return err
	}))
	_, err := gc.MeasureUsage(t.Context(), s, gc.UsageOptions{})
	WantErr(t, err, tracker.ErrMissing)
}
