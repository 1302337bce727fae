package sweep

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/groupcommit"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// site is a folder of a plan, with the store that it is gathered into.
type site struct {
	testing.TB
	plan   *Plan
	folder Folder
	store  *tracker.Store
}

func newSite(t testing.TB) *site {
	t.Helper()
	s := &site{TB: t, plan: tinyPlan(), folder: Folder{filepath.Join(t.TempDir(), "folder")}, store: newStore(t)}
	ok(t, s.store.Create(t.Context()))
	ok(t, s.folder.Init(s.plan))
	return s
}

func newStore(t testing.TB) *tracker.Store {
	t.Helper()
	return tracker.New(filepath.Join(t.TempDir(), "store.db"), tracker.Options{})
}

// process is an attempt with what it knows.
type process struct {
	*Worker
	*site
	progress *Progress
	bad      []error
}

// begin returns a process on another machine that begins with a shard.
func (s *site) begin(shard Shard) *process {
	s.Helper()
	local := newStore(s)
	ok(s, local.Create(s.Context()))
	p := &process{s.folder.NewWorker(shard, local), s, NewProgress(s.plan, shard), nil}
	var err error
	p.bad, err = p.RestoreParts(s.Context(), s.store, p.progress)
	ok(s, err)
	return p
}

// work makes the runs of those numbers, as far as the plan says.
func (p *process) work(numbers ...int) *process {
	p.Helper()
	perform(p, p.plan, p.local, numbers...)
	return p
}

// workTo makes so many iterations of those runs.
func (p *process) workTo(iterations int, numbers ...int) *process {
	p.Helper()
	part := *p.plan
	part.Iterations = iterations
	perform(p, &part, p.local, numbers...)
	return p
}

func (p *process) save() *process {
	p.Helper()
	ok(p, p.Save(p.Context()))
	return p
}

func perform(t testing.TB, plan *Plan, store *tracker.Store, numbers ...int) {
	t.Helper()
	r, err := Executor{Plan: plan, Store: store, Parallel: 1, Close: closeNow}.Execute(t.Context(), numbers)
	ok(t, err)
	if r.Complete != len(numbers) {
		t.Fatalf("%d of %d runs are complete: %+v", r.Complete, len(numbers), r)
	}
}

func closeNow(w *groupcommit.Writer) error { return w.Close(context.Background()) }

// gather takes the parts into the store.
func (s *site) gather() (GatherReport, []error) {
	s.Helper()
	g, bad, err := s.folder.Gather(s.Context(), s.store, false, nil)
	ok(s, err)
	s.checkStore(s.store)
	return g, bad
}

func (s *site) parts() []Part {
	s.Helper()
	parts, err := s.folder.parts()
	ok(s, err)
	return parts
}

// checkStore fails the test unless a store is sound.
func (s *site) checkStore(store *tracker.Store) {
	s.Helper()
	found, err := check.Run(s.Context(), store, check.Options{
		Read: func(schema.Digest) bool { return true },
	})
	if err == nil && len(found.Damaged) > 0 {
		err = fmt.Errorf("damaged: %v", found.Damaged)
	}
	ok(s, err)
}

// heads returns those of the runs of a store.
func heads(t testing.TB, store *tracker.Store) map[schema.Digest]schema.Digest {
	t.Helper()
	all := map[schema.Digest]schema.Digest{}
	ok(t, store.View(t.Context(), func(tx *tracker.Tx) error {
		for run, err := range tx.Runs() {
			if err != nil {
				return err
			}
			_, head, err := tx.ReadHead(run.ID)
			if err != nil {
				return err
			}
			all[run.ID] = head
		}
		return nil
	}))
	return all
}

// undisturbed returns the heads of the plan's runs, made in one place.
func undisturbed(t testing.TB, p *Plan) map[schema.Digest]schema.Digest {
	t.Helper()
	store := newStore(t)
	ok(t, store.Create(t.Context()))
	perform(t, p, store, NewProgress(p, WholePlan).Remaining()...)
	return heads(t, store)
}

// checkWhole compares the site's store with the heads of undisturbed runs.
func (s *site) checkWhole() {
	s.Helper()
	if got, want := heads(s, s.store), undisturbed(s, s.plan); !maps.Equal(got, want) {
		s.Errorf("heads\n%v, undisturbed\n%v", got, want)
	}
}

// counts returns the numbers of a [Progress]: complete, failed, begun and missing runs.
func counts(l *Progress) [4]int {
	c := l.Count()
	return [4]int{c.Complete, c.Failed, c.Begun, c.Missing}
}

// files returns the names in the folder of parts.
func (s *site) files() (names []string) {
	s.Helper()
	entries, err := os.ReadDir(s.folder.partsPath())
	ok(s, err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}
