package tracker

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
)

// TestCopyIsAUnion fills two stores at random, copies both to a third and a fourth in either order,
// and compares these with the longer version of each run.
func TestCopyIsAUnion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a, c := newTestStore(t)
		b, x, y := newEmptyStore(t, a), newEmptyStore(t, a), newEmptyStore(t, a)
		want := map[schema.Digest]int{}
		for i, s := range []*Store{a, b} {
			for _, seed := range rapid.Permutation([]uint64{0, 1, 2, 3}).Draw(rt, "seeds") {
				if n := rapid.IntRange(-1, 4).Draw(rt, "iterations"); n >= 0 {
					id := extend(t, s, seed, n)
					want[id] = max(want[id], n)
					annotateSome(t, rt, s, id, fmt.Sprint("tag", i))
				}
			}
			c.advance(time.Second)
		}
		once := []CopyReport{copied(t, a, x), copied(t, b, x), copied(t, b, y), copied(t, a, y)}
		equal(t, "records", once[0].Records+once[1].Records, once[2].Records+once[3].Records)
		equal(t, "bytes", once[0].Bytes+once[1].Bytes, once[2].Bytes+once[3].Bytes)
		union := content(t, x)
		if diff := cmp.Diff(union, content(t, y)); diff != "" {
			rt.Fatalf("the order matters: %s", diff)
		}
		equal(t, "runs", union["rows of runs"], fmt.Sprint(len(want)))
		checkLengths(t, x, want)
		before := readFile(t, x.path)
		for _, s := range []*Store{a, b, y} {
			again := copied(t, s, x)
			equal(t, "records again", again.Records, 0)
			for _, r := range again.Runs {
				equal(t, "outcome again", r.Outcome, CopyPresent)
			}
		}
		if !bytes.Equal(before, readFile(t, x.path)) {
			rt.Fatal("copying what is there changes the file")
		}
	})
}

// annotateSome makes annotations whose merge does not depend on the order.
func annotateSome(t *testing.T, rt *rapid.T, s *Store, id schema.Digest, tag string) {
	t.Helper()
	ok(t, s.Update(context.Background(), func(tx *Tx) error {
		ok(t, tx.updateAnnotation(id, func(a *Annotation) { a.Created = 1 })) // else ours stays
		if rapid.Bool().Draw(rt, "tag") {
			ok(t, tx.AddTag(id, tag))
		}
		if rapid.Bool().Draw(rt, "note") {
			ok(t, tx.SetNote(id, "noted"))
		}
		if rapid.Bool().Draw(rt, "name") {
			ok(t, tx.SetName(id, "x"+id.String()[:8]))
		}
		return nil
	}))
}

func checkLengths(t *testing.T, s *Store, want map[schema.Digest]int) {
	t.Helper()
	ok(t, s.View(context.Background(), func(tx *Tx) error {
		for id, n := range want {
			done, _, err := tx.ReadHead(id)
			ok(t, err)
			equal(t, "iterations", done, n)
		}
		return nil
	}))
}

// TestCopyKeepsOrder: copied runs are numbered in the order of the source, or in the order of the
// options.
func TestCopyKeepsOrder(t *testing.T) {
	from, _ := newTestStore(t)
	var ids []schema.Digest
	for _, seed := range []uint64{5, 2, 9} {
		ids = append(ids, extend(t, from, seed, 1))
	}
	ok(t, from.Update(t.Context(), func(tx *Tx) error { _, err := tx.Remove(ids[0]); return err }))
	to := newEmptyStore(t, from)
	equal(t, "outcomes", outcomes(copied(t, from, to)), "2 new")
	order := func(s *Store) (runs []string) {
		ok(t, s.View(t.Context(), func(tx *Tx) error {
			for r, err := range tx.Runs() {
				ok(t, err)
				runs = append(runs, fmt.Sprint(r.Number, r.ID))
			}
			return nil
		}))
		return runs
	}
	equal(t, "order", fmt.Sprint(order(to)), fmt.Sprint([]string{fmt.Sprint(2, ids[2]), fmt.Sprint(1, ids[1])}))
	chosen := newEmptyStore(t, from)
	c, err := Copy(t.Context(), from, chosen, CopyOptions{Runs: []schema.Digest{ids[2], ids[1], ids[0]}})
	ok(t, err)
	equal(t, "outcomes", outcomes(c), "1 refused, 2 new")
	equal(t, "order", fmt.Sprint(order(chosen)), fmt.Sprint([]string{fmt.Sprint(2, ids[1]), fmt.Sprint(1, ids[2])}))
}

// TestCopyInPieces copies a run of which one iteration takes several transactions, and continues an
// interrupted copy.
func TestCopyInPieces(t *testing.T) {
	t.Parallel()
	from, _ := newTestStore(t)
	w := from.StartWriter(t.Context())
	r, st := acquire(t, w, 1, 3)
	link := chain(t, r, 0, st.Run.ID, schema.KindValue, artefacts(t, 1, 0)...)
	link = chain(t, r, 1, link, schema.KindValue, largeRecords(t, 72)...)
	chain(t, r, 2, link, schema.KindValue, artefacts(t, 1, 2)...)
	ok(t, w.Close(t.Context()))

	to := newEmptyStore(t, from)
	leaveLease(t, to, st.Run.Spec)
	ctx, cancel := context.WithCancel(t.Context())
	to.now = func() time.Time { // asked for once a transaction that writes to a run with a lease
		cancel()
		return from.now()
	}
	_, err := Copy(ctx, from, to, CopyOptions{})
	wantErr(t, err, context.Canceled)
	to.now = from.now
	checkLengths(t, to, map[schema.Digest]int{st.Run.ID: 1})
	if unreferencedRecords(t, to) == 0 {
		t.Error("it was not stopped within the large iteration")
	}

	c := copied(t, from, to)
	equal(t, "outcomes", outcomes(c), "1 completed")
	if c.Bytes == 0 || c.Bytes >= 72<<20 {
		t.Errorf("%d bytes came over, and not just the rest", c.Bytes)
	}
	equal(t, "unused records", unreferencedRecords(t, to), 0)
	got, want := content(t, to), content(t, from)
	for _, m := range []map[string]string{got, want} {
		maps.DeleteFunc(m, func(key, _ string) bool { return key[:3] == "run" })
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// leaveLease makes a run without iterations that has a stale lease.
func leaveLease(t *testing.T, s *Store, spec schema.Spec) {
	t.Helper()
	ok(t, s.Update(t.Context(), func(tx *Tx) error {
		_, err := tx.acquire(Claim{Spec: spec, Target: 3}, Lease{Beat: 1})
		return err
	}))
}

// largeRecords returns incompressible records of a megabyte.
func largeRecords(t *testing.T, n int) (records [][]byte) {
	t.Helper()
	for i := range n {
		x := make(schema.Value, 1<<17)
		for s, b := range randomBytes(len(x), uint64(i)) {
			x[s] = float64(b) / float64(s+3)
		}
		records = append(records, encoded(t, x))
	}
	return records
}

// TestCopyBesideALease: a run that a living process works on is skipped. One of a process that is
// gone is completed, and that process notices should it continue.
func TestCopyBesideALease(t *testing.T) {
	from, clock := newTestStore(t)
	extend(t, from, 1, 3)
	to := newEmptyStore(t, from)
	w := closeAtEnd(t, to.StartWriter(t.Context()))
	r, st := acquire(t, w, 1, 3)
	chain(t, r, 0, st.Run.ID, schema.KindValue, artefacts(t, 1, 0)...)
	ok(t, r.SealCheckpoint([]byte{1}, entries()))
	ok(t, w.Flush(t.Context()))

	c := copied(t, from, to)
	equal(t, "outcomes", outcomes(c), "1 held")
	equal(t, "iterations", c.Runs[0].To, 1)
	clock.advance(time.Hour)
	equal(t, "outcomes", outcomes(copied(t, from, to)), "1 completed")
	equal(t, "checkpoints", content(t, to)["rows of checkpoints"], "0")
	chain(t, r, 1, st.Run.ID, schema.KindValue, artefacts(t, 1, 1)...)
	_ = w.Flush(t.Context())
	wantErr(t, r.Err(), ErrLeaseLost)
}

// TestCopySays merges the metadata of a run.
func TestCopySays(t *testing.T) {
	from, clock := newTestStore(t)
	id := extend(t, from, 1, 2)
	other := extend(t, from, 2, 1)
	ok(t, from.Update(t.Context(), func(tx *Tx) error {
		ok(t, tx.SetName(id, "theirs"))
		ok(t, tx.SetName(other, "mine"))
		ok(t, tx.SetNote(id, "their note"))
		ok(t, tx.SetFailure(id, "their failure"))
		return tx.AddTag(id, "t")
	}))
	clock.advance(time.Minute)
	to := newEmptyStore(t, from)
	extend(t, to, 1, 1)
	ok(t, to.Update(t.Context(), func(tx *Tx) error {
		ok(t, tx.SetName(id, "mine"))
		ok(t, tx.SetFailure(id, "our failure"))
		return tx.AddTag(id, "o")
	}))
	c := copied(t, from, to)
	equal(t, "taken", c.Runs[1].NameTaken, "mine")
	equal(t, "again", copied(t, from, to).Runs[1].NameTaken, "mine")
	ok(t, to.View(t.Context(), func(tx *Tx) error {
		a, err := tx.ReadAnnotation(id)
		ok(t, err)
		tags, err := tx.ReadTags(id)
		ok(t, err)
		sessions, err := tx.ReadSessions(id)
		ok(t, err)
		equal(t, "annotation", fmt.Sprint(a.Name, a.Note, a.Target, a.Failure, tags, len(sessions)),
			"minetheir note2their failure[o t] 2")
		b, err := tx.ReadAnnotation(other)
		ok(t, err)
		equal(t, "name", b.Name, "")
		return nil
	}))
}

func TestCopyIntoItself(t *testing.T) {
	s, _, _ := newStoreWithRun(t, "record")
	dir := t.TempDir()
	for name, link := range map[string]func(string, string) error{"hard": os.Link, "soft": os.Symlink} {
		path := filepath.Join(dir, name)
		ok(t, link(s.path, path))
		_, err := Copy(t.Context(), New(path, Options{}), s, CopyOptions{})
		wantErr(t, err, ErrInvalid)
	}
	_, err := Copy(t.Context(), secondStore(s), s, CopyOptions{})
	wantErr(t, err, ErrInvalid)
}

// TestCopyOfForks copies a fork with its ancestors, and refuses one without its shared iterations.
func TestCopyOfForks(t *testing.T) {
	from, _ := newTestStore(t)
	parent := extend(t, from, 1, 3)
	var start schema.Digest
	ok(t, from.View(t.Context(), func(tx *Tx) error {
		links, err := tx.readLinks(parent)
		start = links[1]
		return err
	}))
	forked := spec(1)
	forked.Kappa = 2
	w := from.StartWriter(t.Context())
	r, st, err := w.Acquire(t.Context(),
		Claim{Spec: forked, Start: &start, Fork: &Fork{Parent: parent, K: 2}, Target: 3})
	ok(t, err)
	chain(t, r, 2, st.Run.ID, schema.KindValue, artefacts(t, 1, 7)...)
	ok(t, w.Close(t.Context()))

	to := newEmptyStore(t, from)
	c, err := Copy(t.Context(), from, to, CopyOptions{Runs: []schema.Digest{r.ID()}})
	ok(t, err)
	equal(t, "outcomes", outcomes(c), "1 new")
	equal(t, "outcomes", outcomes(copied(t, from, to)), "1 new, 1 present")
	if diff := cmp.Diff(content(t, from), content(t, to)); diff != "" {
		t.Error(diff)
	}
	ok(t, from.Update(t.Context(), func(tx *Tx) error {
		for _, k := range []int{2, 1} {
			ok(t, tx.removeRow(bucketIterations, partKey(r.ID(), k)))
		}
		return nil
	}))
	c = copied(t, from, to)
	at := slices.IndexFunc(c.Runs, func(x CopiedRun) bool { return x.Run == r.ID() })
	equal(t, "outcome", c.Runs[at].Outcome, CopyRefused)
}
