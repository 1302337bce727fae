package merge_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/codec"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
)

// TestCopyManyBatches copies runs that fill several transactions, one of which is longer than a
// transaction and two of which are invalid. All others are copied in order, and progress counts
// all.
func TestCopyManyBatches(t *testing.T) {
	t.Parallel()
	from, _ := NewStore(t)
	var ids []schema.Digest
	w := groupcommit.Start(t.Context(), from)
	for seed := range uint64(16) {
		megabytes := 2
		if seed == 9 {
			megabytes = 20
		}
		r, st := Acquire(t, w, seed, 2)
		link := Chain(t, r, 0, st.Run.ID, schema.KindValue, Artefacts(t, seed, 0)...)
		records := largeRecords(t, megabytes+int(seed))[seed:] // most of them are in other runs, too
		Chain(t, r, 1, link, schema.KindValue, append(records, Artefacts(t, seed, 1)...)...)
		r.Release(nil)
		ids = append(ids, st.Run.ID)
	}
	OK(t, w.Close(t.Context()))
	wrong := map[schema.Digest]bool{ids[3]: true, ids[11]: true}
	OK(t, from.Update(t.Context(), func(tx *tracker.Tx) error {
		for id := range wrong {
			its, err := tx.ReadIterations(id)
			OK(t, err)
			v := victim{tx: tx, id: id, its: its}
			v.replace(t, 1, len(its[1].Records)-3, []byte{codec.Raw, 1, 1}) // of no other run
		}
		return nil
	}))
	to := NewEmptyStore(t, from)
	shown := 0
	c, err := merge.Run(t.Context(), from, to, merge.Options{Progress: func(done, total int) {
		if done < shown || total != len(ids) {
			t.Errorf("%d of %d after %d", done, total, shown)
		}
		shown = done
	}})
	OK(t, err)
	Equal(t, "shown", shown, len(ids))
	Equal(t, "outcomes", outcomes(c), "14 new, 2 refused")
	var want, got []schema.Digest
	for i, r := range c.Runs {
		Equal(t, "run", r.Run, ids[i])
		if Equal(t, "refused", r.Outcome == merge.OutcomeRefused, wrong[r.Run]); !wrong[r.Run] {
			want = append(want, r.Run)
		}
	}
	OK(t, to.View(t.Context(), func(tx *tracker.Tx) error {
		for run, err := range tx.Runs() {
			OK(t, err)
			got = append([]schema.Digest{run.ID}, got...)
		}
		return nil
	}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	found, err := check.Run(t.Context(), to, check.Options{Read: func(schema.Digest) bool { return true }})
	OK(t, err)
	Equal(t, "damaged", fmt.Sprint(found.Damaged), "[]")
	Equal(t, "records", found.Records, c.Records)
	Equal(t, "unused", found.Unused, 0)
}

// TestCopyBothWays copies two stores into each other at once. Neither waits for the other with a
// store open, so both finish and have all runs.
func TestCopyBothWays(t *testing.T) {
	a, _ := NewStore(t)
	b := NewEmptyStore(t, a)
	for seed := range uint64(12) {
		Extend(t, []*tracker.Store{a, b}[seed%2], seed, 3)
	}
	var both errgroup.Group
	for range 4 {
		for _, way := range [][2]*tracker.Store{{a, b}, {b, a}} {
			both.Go(func() error {
				_, err := merge.Run(context.Background(), SecondStore(way[0]), SecondStore(way[1]),
					merge.Options{})
				return err
			})
		}
	}
	OK(t, both.Wait())
	if diff := cmp.Diff(Content(t, a), Content(t, b)); diff != "" {
		t.Error(diff)
	}
	Equal(t, "runs", Content(t, a)["rows of runs"], "12")
}

// TestCopyStops: an error of the target ends the copy.
func TestCopyStops(t *testing.T) {
	from, _ := NewStore(t)
	for seed := range uint64(4) {
		Extend(t, from, seed, 2)
	}
	to := NewEmptyStore(t, from)
	c, err := merge.Run(t.Context(), from, to,
		merge.Options{Validate: func(tracker.Run) error { return os.RemoveAll(to.Path()) }})
	WantErr(t, err, tracker.ErrNoStore)
	Equal(t, "settled", len(c.Runs), 0)

	ctx, cancel := context.WithCancel(t.Context())
	_, err = merge.Run(ctx, from, NewEmptyStore(t, from),
		merge.Options{Validate: func(tracker.Run) error { cancel(); return nil }})
	WantErr(t, err, context.Canceled)
}

// TestCopyOnce: a run that is listed twice is copied once.
func TestCopyOnce(t *testing.T) {
	from, _ := NewStore(t)
	id := Extend(t, from, 1, 2)
	c, err := merge.Run(t.Context(), from, NewEmptyStore(t, from),
		merge.Options{Runs: []schema.Digest{id, id}})
	OK(t, err)
	Equal(t, "outcomes", outcomes(c), "1 new")
}
