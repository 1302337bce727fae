package merge_test

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/merge"
	"github.com/podtrack/podtrack/tracker/rows"
)

// TestCopyIsAUnion fills two stores at random, copies both to a third and a fourth in either order,
// and compares these with the longer version of each run.
func TestCopyIsAUnion(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		a, c := NewStore(t)
		b, x, y := NewEmptyStore(t, a), NewEmptyStore(t, a), NewEmptyStore(t, a)
		want := map[schema.Digest]int{}
		for i, s := range []*tracker.Store{a, b} {
			for _, seed := range rapid.Permutation([]uint64{0, 1, 2, 3}).Draw(rt, "seeds") {
				if n := rapid.IntRange(-1, 4).Draw(rt, "iterations"); n >= 0 {
					id := Extend(t, s, seed, n)
					want[id] = max(want[id], n)
					annotateSome(t, rt, s, id, fmt.Sprint("tag", i))
				}
			}
			c.Advance(time.Second)
		}
		once := []merge.Report{Merge(t, a, x), Merge(t, b, x), Merge(t, b, y), Merge(t, a, y)}
		Equal(t, "records", once[0].Records+once[1].Records, once[2].Records+once[3].Records)
		Equal(t, "bytes", once[0].Bytes+once[1].Bytes, once[2].Bytes+once[3].Bytes)
		union := Content(t, x)
		if diff := cmp.Diff(union, Content(t, y)); diff != "" {
			rt.Fatalf("the order matters: %s", diff)
		}
		Equal(t, "runs", union["rows of runs"], fmt.Sprint(len(want)))
		checkLengths(t, x, want)
		before := ReadFile(t, x.Path())
		for _, s := range []*tracker.Store{a, b, y} {
			again := Merge(t, s, x)
			Equal(t, "records again", again.Records, 0)
			for _, r := range again.Runs {
				Equal(t, "outcome again", r.Outcome, merge.OutcomePresent)
			}
		}
		if !bytes.Equal(before, ReadFile(t, x.Path())) {
			rt.Fatal("copying what is there changes the file")
		}
	})
}

// annotateSome makes annotations whose merge does not depend on the order.
func annotateSome(t *testing.T, rt *rapid.T, s *tracker.Store, id schema.Digest, tag string) {
	t.Helper()
	OK(t, s.Update(context.Background(), func(tx *tracker.Tx) error {
		annotate(t, victim{tx: tx, id: id}, func(a *tracker.Annotation) { a.Created = 1 }) // else ours stays
		if rapid.Bool().Draw(rt, "tag") {
			OK(t, tx.AddTag(id, tag))
		}
		if rapid.Bool().Draw(rt, "note") {
			OK(t, tx.SetNote(id, "noted"))
		}
		if rapid.Bool().Draw(rt, "name") {
			OK(t, tx.SetName(id, "x"+id.String()[:8]))
		}
		return nil
	}))
}

func checkLengths(t *testing.T, s *tracker.Store, want map[schema.Digest]int) {
	t.Helper()
	OK(t, s.View(context.Background(), func(tx *tracker.Tx) error {
		for id, n := range want {
			done, _, err := tx.ReadHead(id)
			OK(t, err)
			Equal(t, "iterations", done, n)
		}
		return nil
	}))
}

// TestCopyKeepsOrder: copied runs are numbered in the order of the source, or in the order of the
// options.
func TestCopyKeepsOrder(t *testing.T) {
	from, _ := NewStore(t)
	var ids []schema.Digest
	for _, seed := range []uint64{5, 2, 9} {
		ids = append(ids, Extend(t, from, seed, 1))
	}
	_, err := gc.Remove(t.Context(), from, ids[:1])
	OK(t, err)
	to := NewEmptyStore(t, from)
	Equal(t, "outcomes", outcomes(Merge(t, from, to)), "2 new")
	order := func(s *tracker.Store) (runs []string) {
		OK(t, s.View(t.Context(), func(tx *tracker.Tx) error {
			for r, err := range tx.Runs() {
				OK(t, err)
				runs = append(runs, fmt.Sprint(r.Number, r.ID))
			}
			return nil
		}))
		return runs
	}
	Equal(t, "order", fmt.Sprint(order(to)), fmt.Sprint([]string{fmt.Sprint(2, ids[2]), fmt.Sprint(1, ids[1])}))
	chosen := NewEmptyStore(t, from)
	c, err := merge.Run(t.Context(), from, chosen,
		merge.Options{Runs: []schema.Digest{ids[2], ids[1], ids[0]}})
	OK(t, err)
	Equal(t, "outcomes", outcomes(c), "1 refused, 2 new")
	Equal(t, "order", fmt.Sprint(order(chosen)), fmt.Sprint([]string{fmt.Sprint(2, ids[1]), fmt.Sprint(1, ids[2])}))
}

// TestCopyInPieces copies a run of which one iteration takes several transactions, and continues an
// interrupted copy.
func TestCopyInPieces(t *testing.T) {
	t.Parallel()
	from, _ := NewStore(t)
	w := groupcommit.Start(t.Context(), from)
	r, st := Acquire(t, w, 1, 3)
	link := Chain(t, r, 0, st.Run.ID, schema.KindValue, Artefacts(t, 1, 0)...)
	link = Chain(t, r, 1, link, schema.KindValue, largeRecords(t, 72)...)
	Chain(t, r, 2, link, schema.KindValue, Artefacts(t, 1, 2)...)
	OK(t, w.Close(t.Context()))

	to := NewEmptyStore(t, from)
	leaveLease(t, to, st.Run.Spec)
	ctx, cancel := context.WithCancel(t.Context())
	stopped := tracker.New(to.Path(), tracker.Options{Now: func() time.Time {
		cancel() // asked for once a transaction that writes to a run with a lease
		return from.Options().Now()
	}})
	_, err := merge.Run(ctx, from, stopped, merge.Options{})
	WantErr(t, err, context.Canceled)
	checkLengths(t, to, map[schema.Digest]int{st.Run.ID: 1})
	if UnreferencedRecords(t, to) == 0 {
		t.Error("it was not stopped within the large iteration")
	}

	c := Merge(t, from, to)
	Equal(t, "outcomes", outcomes(c), "1 completed")
	if c.Bytes == 0 || c.Bytes >= 72<<20 {
		t.Errorf("%d bytes came over, and not just the rest", c.Bytes)
	}
	Equal(t, "unused records", UnreferencedRecords(t, to), 0)
	got, want := Content(t, to), Content(t, from)
	for _, m := range []map[string]string{got, want} {
		maps.DeleteFunc(m, func(key, _ string) bool { return key[:3] == "run" })
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// leaveLease makes a run without iterations that has a stale lease.
func leaveLease(t *testing.T, s *tracker.Store, spec schema.Spec) {
	t.Helper()
	w := groupcommit.Start(t.Context(), s)
	r, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: spec, Target: 3})
	OK(t, err)
	OK(t, w.Close(t.Context()))
	OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
		id := r.ID()
		return rows.Write(tx.Rows(), rows.BucketLeases, id[:], tracker.Lease{Beat: 1})
	}))
}

// largeRecords returns incompressible records of a megabyte.
func largeRecords(t *testing.T, n int) (records [][]byte) {
	t.Helper()
	for i := range n {
		x := make(schema.Value, 1<<17)
		for s, b := range RandomBytes(len(x), uint64(i)) {
			x[s] = float64(b) / float64(s+3)
		}
		records = append(records, Encoded(t, x))
	}
	return records
}

// TestCopyBesideALease: a run that a living process works on is skipped. One of a process that is
// gone is completed, and that process notices should it continue.
func TestCopyBesideALease(t *testing.T) {
	from, clock := NewStore(t)
	Extend(t, from, 1, 3)
	to := NewEmptyStore(t, from)
	w := CloseAtEnd(t, groupcommit.Start(t.Context(), to))
	r, st := Acquire(t, w, 1, 3)
	Chain(t, r, 0, st.Run.ID, schema.KindValue, Artefacts(t, 1, 0)...)
	OK(t, r.SealCheckpoint([]byte{1}, Entries()))
	OK(t, w.Flush(t.Context()))

	c := Merge(t, from, to)
	Equal(t, "outcomes", outcomes(c), "1 held")
	Equal(t, "iterations", c.Runs[0].To, 1)
	clock.Advance(time.Hour)
	Equal(t, "outcomes", outcomes(Merge(t, from, to)), "1 completed")
	Equal(t, "checkpoints", Content(t, to)["rows of checkpoints"], "0")
	Chain(t, r, 1, st.Run.ID, schema.KindValue, Artefacts(t, 1, 1)...)
	_ = w.Flush(t.Context())
	WantErr(t, r.Err(), tracker.ErrLeaseLost)
}

// TestCopySays merges the metadata of a run.
func TestCopySays(t *testing.T) {
	from, clock := NewStore(t)
	id := Extend(t, from, 1, 2)
	other := Extend(t, from, 2, 1)
	OK(t, from.Update(t.Context(), func(tx *tracker.Tx) error {
		OK(t, tx.SetName(id, "theirs"))
		OK(t, tx.SetName(other, "mine"))
		OK(t, tx.SetNote(id, "their note"))
		OK(t, tx.SetFailure(id, "their failure"))
		return tx.AddTag(id, "t")
	}))
	clock.Advance(time.Minute)
	to := NewEmptyStore(t, from)
	Extend(t, to, 1, 1)
	OK(t, to.Update(t.Context(), func(tx *tracker.Tx) error {
		OK(t, tx.SetName(id, "mine"))
		OK(t, tx.SetFailure(id, "our failure"))
		return tx.AddTag(id, "o")
	}))
	c := Merge(t, from, to)
	Equal(t, "taken", c.Runs[1].NameTaken, "mine")
	Equal(t, "again", Merge(t, from, to).Runs[1].NameTaken, "mine")
	Equal(t, "dropped", c.Runs[0].Dropped, merge.Dropped{TheirName: "theirs"}) // there was no note here
	OK(t, from.Update(t.Context(), func(tx *tracker.Tx) error { return tx.SetNote(id, "a later note") }))
	Equal(t, "note", Merge(t, from, to).Runs[0].Dropped, merge.Dropped{TheirName: "theirs", TheirNote: "a later note"})
	OK(t, to.View(t.Context(), func(tx *tracker.Tx) error {
		a, err := tx.ReadAnnotation(id)
		OK(t, err)
		tags, err := tx.ReadTags(id)
		OK(t, err)
		sessions, err := tx.ReadSessions(id)
		OK(t, err)
		Equal(t, "annotation", fmt.Sprint(a.Name, a.Note, a.Target, a.Failure, tags, len(sessions)),
			"minetheir note2their failure[o t] 2")
		b, err := tx.ReadAnnotation(other)
		OK(t, err)
		Equal(t, "name", b.Name, "")
		return nil
	}))
}

// TestSessionsWithGaps: where a repair dropped the row of a session, a later state of a session replaces that session,
// and a new one follows the last.
func TestSessionsWithGaps(t *testing.T) {
	from, _ := NewStore(t)
	id := Extend(t, from, 1, 1)
	to := NewEmptyStore(t, from)
	Extend(t, to, 1, 1)
	session := func(started int64, state tracker.SessionState, saved int64) tracker.Session {
		return tracker.Session{Started: started, State: state, Saved: saved, Ended: started + saved}
	}
	put := func(s *tracker.Store, sessions map[int]tracker.Session) {
		OK(t, s.Update(t.Context(), func(tx *tracker.Tx) error {
			OK(t, tx.Rows().Remove(rows.BucketSessions, rows.PartKey(id, 0)))
			for n, session := range sessions {
				OK(t, tx.PutSession(id, n, session))
			}
			return nil
		}))
	}
	put(from, map[int]tracker.Session{
		0: session(20, tracker.SessionComplete, 2), 1: session(30, tracker.SessionVanished, 3),
		3: session(30, tracker.SessionFailed, 4),
	})
	put(to, map[int]tracker.Session{1: session(10, "", 0), 2: session(20, tracker.SessionVanished, 1)})
	Merge(t, from, to)
	OK(t, to.View(t.Context(), func(tx *tracker.Tx) error {
		all, err := tx.ReadSessionRows(id)
		OK(t, err)
		var got []string
		for _, row := range all {
			got = append(got, fmt.Sprint(row.Number, " started ", row.Started, " ", row.State, " ", row.Saved))
		}
		Equal(t, "sessions", strings.Join(got, ", "), "1 started 10  0, 2 started 20 complete 2, 3 started 30 failed 4")
		return nil
	}))
}

func TestCopyIntoItself(t *testing.T) {
	s, _, _ := NewStoreWithRun(t, "record")
	dir := t.TempDir()
	for name, link := range map[string]func(string, string) error{"hard": os.Link, "soft": os.Symlink} {
		path := filepath.Join(dir, name)
		OK(t, link(s.Path(), path))
		_, err := merge.Run(t.Context(), tracker.New(path, tracker.Options{}), s, merge.Options{})
		WantErr(t, err, tracker.ErrInvalid)
	}
	_, err := merge.Run(t.Context(), SecondStore(s), s, merge.Options{})
	WantErr(t, err, tracker.ErrInvalid)
}

// TestCopyOfForks copies a fork with its ancestors, and refuses one without its shared iterations.
func TestCopyOfForks(t *testing.T) {
	from, _ := NewStore(t)
	parent := Extend(t, from, 1, 3)
	var start schema.Digest
	OK(t, from.View(t.Context(), func(tx *tracker.Tx) error {
		it, err := tx.ReadIteration(parent, 1)
		start = it.Link
		return err
	}))
	forked := Spec(1)
	forked.Kappa = 2
	w := groupcommit.Start(t.Context(), from)
	r, st, err := w.Acquire(t.Context(),
		tracker.Claim{Spec: forked, Start: &start, Fork: &tracker.Fork{Parent: parent, K: 2}, Target: 3})
	OK(t, err)
	Chain(t, r, 2, st.Run.ID, schema.KindValue, Artefacts(t, 1, 7)...)
	OK(t, w.Close(t.Context()))

	to := NewEmptyStore(t, from)
	c, err := merge.Run(t.Context(), from, to, merge.Options{Runs: []schema.Digest{r.ID()}})
	OK(t, err)
	Equal(t, "outcomes", outcomes(c), "1 new")
	Equal(t, "outcomes", outcomes(Merge(t, from, to)), "1 new, 1 present")
	if diff := cmp.Diff(Content(t, from), Content(t, to)); diff != "" {
		t.Error(diff)
	}
	OK(t, from.Update(t.Context(), func(tx *tracker.Tx) error {
		for _, k := range []int{2, 1} {
			OK(t, tx.Rows().Remove(rows.BucketIterations, rows.PartKey(r.ID(), k)))
		}
		return nil
	}))
	c = Merge(t, from, to)
	at := slices.IndexFunc(c.Runs, func(x merge.CopiedRun) bool { return x.Run == r.ID() })
	Equal(t, "outcome", c.Runs[at].Outcome, merge.OutcomeRefused)
}
