package tracker_test

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	. "github.com/podtrack/podtrack/tracker/internal/storetest"
	"github.com/podtrack/podtrack/tracker/rows"
)

// model has the expected contents of the store in maps. A run's work becomes part of it when a
// commit has returned.
type model struct {
	s       *tracker.Store
	records map[schema.Digest]string
	runs    []*modelRun // oldest first
	created int         // runs so far
}

type modelRun struct {
	seed       uint64
	number     int // of creation
	id         schema.Digest
	iterations [][]schema.Digest
	open       []schema.Digest // names in the checkpoint
	hasOpen    bool
	name, note string
	tags       map[string]bool
	target     int
}

func (m *model) find(seed uint64) *modelRun {
	for _, r := range m.runs {
		if r.seed == seed {
			return r
		}
	}
	return nil
}

// session acquires a run, does some work, and ends in one of three ways.
func (m *model) session(t *rapid.T) {
	seed := rapid.Uint64Range(0, 4).Draw(t, "seed")
	target := rapid.IntRange(1, 5).Draw(t, "target")
	w := groupcommit.Start(context.Background(), m.s)
	rw, st, err := w.Acquire(context.Background(), tracker.Claim{Spec: Spec(seed), Target: target})
	must(t, err)
	r := m.find(seed)
	if r == nil {
		m.created++
		r = &modelRun{seed: seed, number: m.created, id: rw.ID(), tags: map[string]bool{}}
		m.runs = append(m.runs, r)
	}
	r.target = max(r.target, target)
	same(t, "done", st.Done, len(r.iterations))
	same(t, "target", st.Target, max(r.target, st.Done))
	same(t, "has checkpoint", st.Checkpoint != nil, r.hasOpen)
	m.work(t, w, rw, r)
	must(t, w.Close(context.Background()))
}

func (m *model) work(t *rapid.T, w *groupcommit.Writer, rw *groupcommit.RunWriter, r *modelRun) {
	listed := slices.Clone(r.open)
	for range rapid.IntRange(0, 6).Draw(t, "steps") {
		switch rapid.SampledFrom([]string{"put", "put", "checkpoint", "iteration", "flush"}).Draw(t, "step") {
		case "put":
			text := rapid.SampledFrom(slices.Sorted(maps.Keys(modelKinds))).Draw(t, "record")
			name, err := rw.Put([]byte(text))
			must(t, err)
			m.records[name] = text
			listed = append(listed, name)
		case "checkpoint":
			must(t, rw.SealCheckpoint([]byte{1}, modelEntries(listed)))
			r.open, r.hasOpen = slices.Clone(listed), true
		case "iteration":
			k := len(r.iterations)
			must(t, rw.SealIteration(k, schema.Iteration{Link: LinkOf(r.id, k), Records: modelEntries(listed)},
				tracker.Cost{}))
			r.iterations = append(r.iterations, listed)
			r.open, r.hasOpen, listed = nil, false, nil
		case "flush":
			must(t, w.Flush(context.Background()))
		}
	}
}

// annotate changes one annotation of a run.
func (m *model) annotate(t *rapid.T) {
	if len(m.runs) == 0 {
		t.Skip()
	}
	r := rapid.SampledFrom(m.runs).Draw(t, "run")
	text := rapid.SampledFrom([]string{"x-1", "x-2", "x-3"}).Draw(t, "text")
	tagged := r.tags[text]
	switch rapid.SampledFrom([]string{"name", "unname", "note", "tag", "untag"}).Draw(t, "what") {
	case "name":
		free := !slices.ContainsFunc(m.runs, func(o *modelRun) bool { return o != r && o.name == text })
		err := m.update(func(tx *tracker.Tx) error { return tx.SetName(r.id, text) })
		same(t, "taken", errors.Is(err, tracker.ErrTaken), !free)
		if free {
			must(t, err)
			r.name = text
		}
	case "unname":
		must(t, m.update(func(tx *tracker.Tx) error { return tx.SetName(r.id, "") }))
		r.name = ""
	case "note":
		must(t, m.update(func(tx *tracker.Tx) error { return tx.SetNote(r.id, text) }))
		r.note = text
	case "tag":
		must(t, m.update(func(tx *tracker.Tx) error { return tx.AddTag(r.id, text) }))
		r.tags[text] = true
	case "untag":
		err := m.update(func(tx *tracker.Tx) error { return tx.RemoveTag(r.id, text) })
		same(t, "had the tag", err == nil, tagged)
		delete(r.tags, text)
	}
}

// remove removes some of the runs.
func (m *model) remove(t *rapid.T) {
	var ids []schema.Digest
	m.runs = slices.DeleteFunc(m.runs, func(r *modelRun) bool {
		doomed := rapid.Bool().Draw(t, "remove")
		if doomed {
			ids = append(ids, r.id)
		}
		return doomed
	})
	removed, err := gc.Remove(context.Background(), m.s, ids)
	must(t, err)
	same(t, "removed", removed.Runs, len(ids))
}

func (m *model) update(f func(*tracker.Tx) error) error { return m.s.Update(context.Background(), f) }

// check compares the whole store with the model.
func (m *model) check(t *rapid.T) {
	must(t, m.s.View(context.Background(), func(tx *tracker.Tx) error {
		used := map[schema.Digest]bool{}
		newest := slices.Clone(m.runs)
		slices.Reverse(newest)
		for run, err := range tx.Runs() {
			must(t, err)
			if len(newest) == 0 || newest[0].id != run.ID {
				t.Fatalf("run %s out of order", run.ID)
			}
			m.checkRun(t, tx, run, newest[0], used)
			newest = newest[1:]
		}
		same(t, "runs not listed", len(newest), 0)
		m.checkRecords(t, tx, used)
		return nil
	}))
}

func (m *model) checkRun(t *rapid.T, tx *tracker.Tx, run tracker.Run, r *modelRun, used map[schema.Digest]bool) {
	want := []schema.Iteration(nil)
	for k, names := range r.iterations {
		want = append(want, schema.Iteration{Link: LinkOf(r.id, k), Records: modelEntries(names)})
		noteUsed(used, modelEntries(names))
	}
	noteUsed(used, modelEntries(r.open))
	its, err := tx.ReadIterations(r.id)
	must(t, err)
	done, head, err := tx.ReadHead(r.id)
	must(t, err)
	same(t, "done", done, len(its))
	if done > 0 {
		same(t, "head", head, LinkOf(r.id, done-1))
	}
	a, err := tx.ReadAnnotation(r.id)
	must(t, err)
	tags, err := tx.ReadTags(r.id)
	must(t, err)
	status := tracker.Interrupted
	if done >= r.target {
		status = tracker.Complete
	}
	got, err := tx.DeriveStatus(r.id, a, done)
	must(t, err)
	same(t, "status", got, status)
	if diff := cmp.Diff(want, its) + cmp.Diff(slices.Sorted(maps.Keys(r.tags)), tags); diff != "" {
		t.Fatal(diff)
	}
	same(t, "annotation", fmt.Sprint(a.Name, a.Note, a.Target), fmt.Sprint(r.name, r.note, max(r.target, done)))
	same(t, "spec", run.Spec.Seed, r.seed)
	for _, ref := range []string{tx.ShortID(r.id), r.name} {
		if ref != "" {
			found, err := tx.Resolve(ref)
			must(t, err)
			same(t, "resolved "+ref, found.ID, r.id)
		}
	}
}

// checkRecords also compares the names. A checkpoint of this model lists records that later rows of
// the run list too, so no record is unused.
func (m *model) checkRecords(t *rapid.T, tx *tracker.Tx, used map[schema.Digest]bool) {
	for name := range used {
		b, err := tx.ReadRecord(name)
		must(t, err)
		same(t, "record", string(b), m.records[name])
	}
	same(t, "records in the file", len(tx.Rows().Keys(rows.BucketRecords, nil)), len(used))
	same(t, "digests in the file", len(tx.Rows().Keys(rows.BucketDigests, nil)), len(used))
}

func must(t *rapid.T, err error) {
	if err != nil {
		t.Helper()
		t.Fatal(err)
	}
}

func same[T comparable](t *rapid.T, what string, got, want T) {
	if got != want {
		t.Helper()
		t.Fatalf("%s: got %v, want %v", what, got, want)
	}
}

func TestStoreBehavesLikeItsModel(t *testing.T) {
	t.Parallel()
	dir, n := t.TempDir(), 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		m := &model{s: tracker.New(filepath.Join(dir, fmt.Sprint(n)), tracker.Options{Now: new(Clock).Now}),
			records: map[schema.Digest]string{}}
		must(t, m.s.Create(context.Background()))
		t.Repeat(map[string]func(*rapid.T){
			"session": m.session, "annotate": m.annotate, "remove": m.remove, "compact": m.compact,
			"": m.check,
		})
	})
}

// noteUsed adds the records of a list to those that rows name.
func noteUsed(used map[schema.Digest]bool, entries []schema.Entry) {
	for _, e := range entries {
		used[e.Name] = true
	}
}
