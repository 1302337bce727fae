package sweep

import (
	"context"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/merge"
)

// TestShardsMeet: the parts of two processes on different machines are gathered into one store.
func TestShardsMeet(t *testing.T) {
	s := newSite(t)
	for i := range 2 {
		p := s.begin(Shard{i, 2})
		p.work(p.progress.Remaining()...).save()
		if n := p.PartsWritten(); n != 1 {
			t.Errorf("%d parts", n)
		}
	}
	progress := NewProgress(s.plan, WholePlan)
	if parts, bad, err := s.folder.ScanParts(t.Context(), progress); parts != 2 || len(bad) > 0 || err != nil {
		t.Error(parts, bad, err)
	}
	if got := counts(progress); got != [4]int{8, 0, 0, 0} || len(progress.Remaining()) > 0 {
		t.Errorf("%v by the parts, %v to do", got, progress.Remaining())
	}
	g, bad := s.gather()
	if g.Parts != 2 || g.Left != 0 || len(bad) > 0 || len(s.files()) > 0 {
		t.Errorf("%+v, %v, left are %v", g, bad, s.files())
	}
	s.checkWhole()
	if g, _ := s.gather(); g.Parts+g.Left+g.Records > 0 {
		t.Errorf("gathered again: %+v", g)
	}
	if p := s.begin(Shard{0, 2}); len(p.progress.Remaining()) > 0 || len(heads(t, p.local)) > 0 {
		t.Error("a process has something to do, or copies what is complete")
	}
}

// TestTwins: a process that was taken for dead and its replacement make the same runs at the same time. The results are
// the same, and may be gathered at any time.
func TestTwins(t *testing.T) {
	s := newSite(t)
	orphan := s.begin(Shard{0, 2}).work(0, 2).save()
	twin := s.begin(Shard{0, 2}) // which takes over two runs
	if todo := twin.progress.Remaining(); !slices.Equal(todo, []int{4, 6}) {
		t.Errorf("the twin has %v to do", todo)
	}
	orphan.work(4)
	twin.work(4, 6).save()
	orphan.save()
	before := s.gatherCopy()
	g, bad := s.gather()
	if g.Parts != 3 || g.Left > 0 || len(bad) > 0 {
		t.Errorf("%+v, %v", g, bad)
	}
	orphan.work(6).save() // after its twin was gathered
	if g, bad := s.gather(); g.Parts != 1 || g.Records != 0 || g.Left > 0 || len(bad) > 0 {
		t.Errorf("what is there already: %+v, %v", g, bad)
	}
	if !maps.Equal(before, heads(t, s.store)) {
		t.Error("a gathering changed heads")
	}
	other := s.begin(Shard{1, 2})
	other.work(other.progress.Remaining()...).save()
	s.gather()
	s.checkWhole()
}

// TestTakeKept: what an earlier process could not save is saved by the next one, which makes nothing of it again.
func TestTakeKept(t *testing.T) {
	s := newSite(t)
	failed := s.begin(Shard{0, 2}).work(0, 2).workTo(1, 4)
	next := s.begin(Shard{0, 2})
	for range 2 { // the second time there is nothing new
		ok(t, next.TakeKept(t.Context(), failed.local, next.progress))
	}
	if todo := next.progress.Remaining(); !slices.Equal(todo, []int{4, 6}) {
		t.Errorf("%v to do", todo)
	}
	next.save()
	g, bad := s.gather()
	if got := heads(t, s.store); g.Parts != 1 || len(bad) > 0 || !maps.Equal(got, heads(t, failed.local)) {
		t.Errorf("%+v, %v, %d runs", g, bad, len(got))
	}
}

// gatherCopy gathers into another store, the parts in the other order, and puts them
// back.
func (s *site) gatherCopy() map[schema.Digest]schema.Digest {
	s.Helper()
	store := newStore(s)
	ok(s, store.Create(s.Context()))
	parts := s.parts()
	slices.Reverse(parts)
	for _, p := range parts {
		_, err := merge.Run(s.Context(), p.open(), store, merge.Options{})
		ok(s, err)
	}
	return heads(s, store)
}

// TestSaveWritesNews: a part has the runs that changed since the last one; without any there is no part. A part whose
// runs are all in later ones is removed.
func TestSaveWritesNews(t *testing.T) {
	s := newSite(t)
	p := s.begin(Shard{0, 2}).save()
	if p.PartsWritten() != 0 || len(s.files()) > 0 {
		t.Errorf("%d parts of nothing: %v", p.PartsWritten(), s.files())
	}
	p.work(0).save().save().workTo(1, 2).save().work(2).save().save()
	if p.PartsWritten() != 3 {
		t.Errorf("%d parts", p.PartsWritten())
	}
	var sizes []int
	for _, part := range s.parts() {
		ok(t, part.Verify(t.Context()))
		sizes = append(sizes, len(heads(t, part.open())))
	}
	if !slices.Equal(sizes, []int{1, 1}) {
		t.Errorf("parts of %v runs", sizes)
	}
	progress := NewProgress(s.plan, Shard{0, 2})
	_, _, err := s.folder.ScanParts(t.Context(), progress)
	ok(t, err)
	if got := counts(progress); got != [4]int{2, 0, 0, 2} {
		t.Error(got)
	}
}

// TestInheritOtherShards: a sweep that is split into other shards than before continues from what those left, and takes
// only its own runs. Runs in the store count, too.
func TestInheritOtherShards(t *testing.T) {
	s := newSite(t)
	s.begin(Shard{0, 3}).work(0).workTo(1, 3, 6).save()
	s.begin(Shard{1, 3}).workTo(1, 1, 4).save()
	perform(t, s.plan, s.store, 3, 5)

	p := s.begin(Shard{1, 2}) // runs 1, 3, 5, 7, of which 3 is complete in the store and 1 begun in a part
	if got := counts(p.progress); got != [4]int{2, 0, 1, 1} || !slices.Equal(p.progress.Remaining(), []int{1, 7}) {
		t.Errorf("%v, %v to do", got, p.progress.Remaining())
	}
	for number, id := range s.plan.runs(WholePlan) {
		_, there := heads(t, p.local)[id]
		// 3 was begun in a part, when it was not known to be complete
		if want := number == 1 || number == 3; there != want {
			t.Errorf("run %d is in the scratch: %v", number, there)
		}
	}
	p.save()
	if p.PartsWritten() != 0 {
		t.Error("what was inherited is written again")
	}
	p.work(p.progress.Remaining()...).save()
	if part := s.parts(); len(part) != 3 {
		t.Errorf("%d parts", len(part))
	}
	s.gather()
	all := s.begin(WholePlan)
	all.work(all.progress.Remaining()...).save()
	s.gather()
	s.checkWhole()
}

// TestInheritFailures: a run that failed is tried again, and one that failed in one place and came further in another
// does not count as failed.
func TestInheritFailures(t *testing.T) {
	s := newSite(t)
	first := s.begin(WholePlan).workTo(1, 2).save() // and run 2 fails later, no further
	w := groupcommit.Start(t.Context(), first.local)
	for i := range 3 {
		job, err := s.plan.job(i)
		ok(t, err)
		rw, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: job.Spec, Target: job.Target})
		ok(t, err)
		rw.Fail(errors.New("the lamp fell"), nil)
	}
	ok(t, closeNow(w))
	first.save()
	second := s.begin(WholePlan)
	if got := counts(second.progress); got != [4]int{0, 3, 0, 5} || len(second.progress.Remaining()) != 8 {
		t.Errorf("%v, %v to do", got, second.progress.Remaining())
	}
	second.work(0).save()
	if got := counts(s.begin(WholePlan).progress); got != [4]int{1, 2, 0, 5} {
		t.Error(got)
	}
	s.gather()
	progress := NewProgress(s.plan, WholePlan)
	news, err := progress.Scan(t.Context(), s.store)
	ok(t, err)
	// of run 2 what came first stays
	if got := counts(progress); got[0] != 1 || got[1] < 1 || got[3] != 5 || len(news) != 3 {
		t.Errorf("%v after gathering, %d runs", got, len(news))
	}
}

// TestGatherAtWork gathers again and again while processes save: nothing is lost, and no part is reported as damaged.
func TestGatherAtWork(t *testing.T) {
	s := newSite(t)
	processes := []*process{s.begin(Shard{0, 2}), s.begin(Shard{1, 2})}
	var working sync.WaitGroup
	for _, p := range processes {
		working.Add(1)
		go func() {
			defer working.Done()
			for _, number := range p.progress.Remaining() {
				r, err := Executor{Plan: p.plan, Store: p.local, Parallel: 1, Close: closeNow}.Execute(context.Background(),
					[]int{number})
				if err = errors.Join(err, r.First, p.Save(context.Background())); err != nil {
					t.Error(err)
				}
			}
		}()
	}
	ended := make(chan struct{})
	go func() { working.Wait(); close(ended) }()
	for over := false; !over; {
		select {
		case <-ended:
			over = true // and once more
		default:
		}
		if g, bad := s.gather(); g.Left > 0 || len(bad) > 0 {
			t.Errorf("%+v, %v", g, bad)
		}
	}
	s.checkWhole()
	if left := s.files(); len(left) > 0 {
		t.Error(left)
	}
}

// TestSaveFails: if a part cannot be written, nothing is left under the name of a part, and it is written once that is
// possible.
func TestSaveFails(t *testing.T) {
	s := newSite(t)
	p := s.begin(WholePlan).work(0)
	ok(t, os.Rename(s.folder.partsPath(), s.folder.partsPath()+".away"))
	if err := p.Save(t.Context()); err == nil || schema.Remedy(err) == "" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ok(t, os.Rename(s.folder.partsPath()+".away", s.folder.partsPath()))
	if err := p.Save(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if left := s.files(); len(left) > 0 {
		t.Error(left)
	}
	p.save()
	if g, _ := s.gather(); g.Parts != 1 || len(heads(t, s.store)) != 1 {
		t.Errorf("%+v", g)
	}
}
