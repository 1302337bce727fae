package tracker

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sync/errgroup"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/codec"
)

// TestCopyManyBatches copies runs that fill several transactions, one of which is longer than a
// transaction and two of which are invalid. All others are copied in order, and progress counts
// all.
func TestCopyManyBatches(t *testing.T) {
	t.Parallel()
	from, _ := newTestStore(t)
	var ids []schema.Digest
	w := from.StartWriter(t.Context())
	for seed := range uint64(16) {
		megabytes := 2
		if seed == 9 {
			megabytes = 20
		}
		r, st := acquire(t, w, seed, 2)
		link := chain(t, r, 0, st.Run.ID, schema.KindValue, artefacts(t, seed, 0)...)
		records := largeRecords(t, megabytes+int(seed))[seed:] // most of them are in other runs, too
		chain(t, r, 1, link, schema.KindValue, append(records, artefacts(t, seed, 1)...)...)
		r.Release(nil)
		ids = append(ids, st.Run.ID)
	}
	ok(t, w.Close(t.Context()))
	wrong := map[schema.Digest]bool{ids[3]: true, ids[11]: true}
	ok(t, from.Update(t.Context(), func(tx *Tx) error {
		for id := range wrong {
			its, err := tx.ReadIterations(id)
			ok(t, err)
			v := victim{tx, id, its}
			v.replace(t, 1, len(its[1].Records)-3, []byte{codec.Raw, 1, 1}) // of no other run
		}
		return nil
	}))
	to := newEmptyStore(t, from)
	shown := 0
	c, err := Copy(t.Context(), from, to, CopyOptions{Progress: func(done, total int) {
		if done < shown || total != len(ids) {
			t.Errorf("%d of %d after %d", done, total, shown)
		}
		shown = done
	}})
	ok(t, err)
	equal(t, "shown", shown, len(ids))
	equal(t, "outcomes", outcomes(c), "14 new, 2 refused")
	var want, got []schema.Digest
	for i, r := range c.Runs {
		equal(t, "run", r.Run, ids[i])
		if equal(t, "refused", r.Outcome == CopyRefused, wrong[r.Run]); !wrong[r.Run] {
			want = append(want, r.Run)
		}
	}
	ok(t, to.View(t.Context(), func(tx *Tx) error {
		for id, err := range tx.orderedRunIDs() {
			ok(t, err)
			got = append([]schema.Digest{id}, got...)
		}
		return nil
	}))
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	found, err := Check(t.Context(), to, CheckOptions{Read: func(schema.Digest) bool { return true }})
	ok(t, err)
	equal(t, "damaged", fmt.Sprint(found.Damaged), "[]")
	equal(t, "records", found.Records, c.Records)
	equal(t, "unused", found.Unused, 0)
}

// TestCopyBothWays copies two stores into each other at once. Neither waits for the other with a
// store open, so both finish and have all runs.
func TestCopyBothWays(t *testing.T) {
	a, _ := newTestStore(t)
	b := newEmptyStore(t, a)
	for seed := range uint64(12) {
		extend(t, []*Store{a, b}[seed%2], seed, 3)
	}
	var both errgroup.Group
	for range 4 {
		for _, way := range [][2]*Store{{a, b}, {b, a}} {
			both.Go(func() error {
				_, err := Copy(context.Background(), secondStore(way[0]), secondStore(way[1]), CopyOptions{})
				return err
			})
		}
	}
	ok(t, both.Wait())
	if diff := cmp.Diff(content(t, a), content(t, b)); diff != "" {
		t.Error(diff)
	}
	equal(t, "runs", content(t, a)["rows of runs"], "12")
}

// TestCopyStops: an error of the target ends the copy.
func TestCopyStops(t *testing.T) {
	from, _ := newTestStore(t)
	for seed := range uint64(4) {
		extend(t, from, seed, 2)
	}
	to := newEmptyStore(t, from)
	c, err := Copy(t.Context(), from, to, CopyOptions{Validate: func(Run) error { return os.RemoveAll(to.path) }})
	wantErr(t, err, ErrNoStore)
	equal(t, "settled", len(c.Runs), 0)

	ctx, cancel := context.WithCancel(t.Context())
	_, err = Copy(ctx, from, newEmptyStore(t, from), CopyOptions{Validate: func(Run) error { cancel(); return nil }})
	wantErr(t, err, context.Canceled)
}

// TestCopyOnce: a run that is listed twice is copied once.
func TestCopyOnce(t *testing.T) {
	from, _ := newTestStore(t)
	id := extend(t, from, 1, 2)
	c, err := Copy(t.Context(), from, newEmptyStore(t, from), CopyOptions{Runs: []schema.Digest{id, id}})
	ok(t, err)
	equal(t, "outcomes", outcomes(c), "1 new")
}
