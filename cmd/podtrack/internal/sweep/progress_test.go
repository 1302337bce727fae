package sweep

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// TestProgress: the furthest state of a run in any store or part counts, in whatever order these are scanned.
func TestProgress(t *testing.T) {
	s := newSite(t)
	s.begin(WholePlan).work(0).workTo(1, 1, 2, 7).save()
	perform(t, s.plan, s.store, 1, 3)
	behind := *s.plan
	behind.Iterations = 1
	perform(t, &behind, s.store, 0, 4)
	other := runset.Plan{Specs: s.plan.Specs, Seeds: runset.SeedSet(99), Iterations: 3} // not in the plan
	perform(t, &Plan{Plan: other}, s.store, 0)

	for name, look := range map[string][]func(*Progress) int{
		"the store first": {s.lookStore, s.lookParts},
		"the parts first": {s.lookParts, s.lookStore},
		"the store twice": {s.lookStore, s.lookParts, s.lookStore},
	} {
		l := NewProgress(s.plan, WholePlan)
		for _, place := range look {
			place(l)
		}
		if place := look[len(look)-1]; place(l) != 0 {
			t.Errorf("%s: what is known is news", name)
		}
		if got := counts(l); got != [4]int{3, 0, 3, 2} || !slices.Equal(l.Remaining(), []int{2, 4, 5, 6, 7}) {
			t.Errorf("%s: %v, %v to do", name, got, l.Remaining())
		}
		c := l.Count()
		if c.Runs != 8 || c.Iterations != 9 || c.Wanted != 16 {
			t.Errorf("%s: %+v", name, c)
		}
		if specs := l.CountBySpec(); specs[0].Complete != 3 || specs[1].Complete != 0 || specs[1].Begun != 2 ||
			specs[0].Runs != 4 {
			t.Errorf("%s: by spec %+v", name, specs)
		}
		if shards := l.CountByShard(3); len(shards) != 3 || shards[0].Runs != 3 || shards[2].Runs != 2 ||
			shards[0].Complete != 2 || shards[1].Begun != 2 {
			t.Errorf("%s: by shard %+v", name, shards)
		}
	}
	l := NewProgress(s.plan, Shard{1, 3}) // runs 1, 4, 7
	s.lookParts(l)
	s.lookStore(l)
	if got := counts(l); got != [4]int{1, 0, 2, 0} || !slices.Equal(l.Remaining(), []int{4, 7}) {
		t.Errorf("of a shard: %v, %v to do", got, l.Remaining())
	}
}

func (s *site) lookStore(l *Progress) int {
	s.Helper()
	news, err := l.Scan(s.Context(), s.store)
	ok(s, err)
	return len(news)
}

// lookParts returns how much scanning the parts changed the counts.
func (s *site) lookParts(l *Progress) int {
	s.Helper()
	before := l.Count().Iterations
	_, bad, err := s.folder.ScanParts(s.Context(), l)
	ok(s, err)
	if len(bad) > 0 {
		s.Error(bad)
	}
	return int(l.Count().Iterations - before)
}

// TestProgressBeyondPlan: runs with more iterations than the plan wants are complete, and their further iterations do
// not count.
func TestProgressBeyondPlan(t *testing.T) {
	s := newSite(t)
	perform(t, s.plan, s.store, 0)
	s.plan.Iterations = 1
	l := NewProgress(s.plan, WholePlan)
	s.lookStore(l)
	if c := l.Count(); c.Complete != 1 || c.Iterations != 1 || c.Wanted != 8 {
		t.Errorf("%+v", c)
	}
}

func TestProgressWithoutStore(t *testing.T) {
	l := NewProgress(tinyPlan(), WholePlan)
	store := tracker.New(filepath.Join(t.TempDir(), "nothing.db"), tracker.Options{})
	if news, err := l.Scan(t.Context(), store); err != nil || len(news) > 0 {
		t.Error(news, err)
	}
}

// TestAnnotate: the plan of a tag is recorded once, and existing runs get the plan's tags and names.
func TestAnnotate(t *testing.T) {
	s := newSite(t)
	perform(t, &Plan{Plan: runset.Plan{Specs: s.plan.Specs, Seeds: s.plan.Seeds, Iterations: 1}}, s.store, 1, 4)
	s.plan.Name = "k{kappa}-s{seed}"
	l := NewProgress(s.plan, WholePlan)
	s.lookStore(l)
	for range 2 {
		_, err := s.plan.Annotate(t.Context(), s.store, l, Folder{})
		ok(t, err)
	}
	perform(t, s.plan, s.store, 1)
	ok(t, s.store.View(t.Context(), func(tx *tracker.Tx) error {
		planned, err := tx.ReadPlannedTags()
		if err != nil || len(planned) != 1 || planned[0].Tag != "study" {
			t.Fatalf("%+v, %v", planned, err)
		}
		plan, err := tx.ReadPlan(planned[0].Plan)
		if err != nil || plan.Len() != 8 || plan.Wanted() != 16 {
			t.Errorf("%+v, %v", plan, err)
		}
		for run, err := range tx.Runs() {
			ok(t, err)
			a, err := tx.ReadAnnotation(run.ID)
			ok(t, err)
			tags, err := tx.ReadTags(run.ID)
			ok(t, err)
			if want, _ := ExpandName(s.plan.Name, run.Spec); a.Name != want || !slices.Equal(tags, []string{"study"}) {
				t.Errorf("%q with tags %v, want %q", a.Name, tags, want)
			}
		}
		return nil
	}))
}
