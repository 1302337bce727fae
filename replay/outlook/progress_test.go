package outlook_test

import (
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/outlook"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// begun returns a run that began so many seconds after the plan was set.
func begun(status tracker.Status, iterations int, after float64) report.Run {
	return report.Run{Status: status, Iterations: iterations, Created: time.Unix(100, int64(after*1e9)).UTC()}
}

// progressOf returns the progress of a tag with a plan of that many runs with that many iterations each. The runs are
// the first of the plan.
func progressOf(t testing.TB, planned, iterations int, runs []report.Run, now time.Time) outlook.Progress {
	t.Helper()
	spec := pod.PaperSpec()
	for i := range runs {
		spec.Seed = uint64(i)
		runs[i].Spec, runs[i].Seed = spec, spec.Seed
	}
	spec.Seed = 0
	plan := &runset.Plan{Specs: []schema.Spec{spec}, Seeds: firstSeeds(t, planned), Iterations: iterations}
	tag := outlook.PlannedTag{Tag: "t", Plans: []outlook.NamedPlan{{
		PlannedTag: tracker.PlannedTag{Tag: "t", Planned: tracker.Planned{Set: 100e9}}, Selected: plan,
	}}}
	progress, err := outlook.ComputeProgress(nil, []outlook.PlannedTag{tag}, runs, now)
	if err != nil {
		t.Fatal(err)
	}
	return progress[0]
}

func firstSeeds(t testing.TB, n int) runset.Seeds {
	t.Helper()
	seeds, err := runset.ParseSeeds(fmt.Sprintf("0-%d", n-1))
	if err != nil {
		t.Fatal(err)
	}
	return seeds
}

func TestProgress(t *testing.T) {
	second := func(n int) time.Time { return time.Unix(100+int64(n), 0) }
	seconds := func(x float64) *float64 { return &x }
	const complete, running, failed, interrupted = tracker.Complete, tracker.Running, tracker.Failed,
		tracker.Interrupted
	for _, c := range []struct {
		name string
		runs []report.Run
		want outlook.Progress
		says string
		done bool
	}{
		{"nothing begun", nil, outlook.Progress{Missing: 10}, "0 of 10 complete, 10 missing", false},
		{"at work: 12 of 60 iterations in 8 s leave 48 for 32 s",
			[]report.Run{
				begun(complete, 6, 0), begun(running, 4, 0), begun(running, 2, 4),
			},
			outlook.Progress{
				Counts: outlook.Counts{Complete: 1, Running: 2}, Missing: 7, Iterations: 12, Left: seconds(32),
			},
			"1 of 10 complete, 2 running, 7 missing", false},
		{"what was made before the plan tells no pace: 2 iterations in 4 s leave 48 for 96 s",
			[]report.Run{begun(complete, 6, -100), begun(running, 4, -50), begun(running, 2, 4)},
			outlook.Progress{
				Counts: outlook.Counts{Complete: 1, Running: 2}, Missing: 7, Iterations: 12, Left: seconds(96),
			},
			"1 of 10 complete, 2 running, 7 missing", false},
		{"just begun", []report.Run{begun(running, 0, 8)},
			outlook.Progress{Counts: outlook.Counts{Running: 1}, Missing: 9}, "0 of 10 complete, 1 running, 9 missing", false},
		{"stopped", []report.Run{begun(complete, 6, 0), begun(failed, 1, 0), begun(interrupted, 2, 1)},
			outlook.Progress{Counts: outlook.Counts{Complete: 1, Failed: 1, Interrupted: 1}, Missing: 7, Iterations: 9},
			"1 of 10 complete, 1 interrupted, 1 failed, 7 missing", false},
		{"complete by a lower target", append(slowly(9, complete), begun(complete, 5, 0)),
			outlook.Progress{Counts: outlook.Counts{Complete: 9}, Missing: 1, Iterations: 59},
			"9 of 10 complete, 1 missing", false},
		{"more than planned", slowly(12, complete),
			outlook.Progress{Counts: outlook.Counts{Complete: 10}, Iterations: 60}, "10 of 10 complete", true},
		{"one stopped beyond what is planned", append(slowly(9, complete), begun(interrupted, 60, 7)),
			outlook.Progress{Counts: outlook.Counts{Complete: 10}, Iterations: 60}, "10 of 10 complete", true},
		{"one goes on beyond", append(slowly(9, complete), begun(running, 60, 7)),
			outlook.Progress{Counts: outlook.Counts{Complete: 9, Running: 1}, Iterations: 60},
			"9 of 10 complete, 1 running", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Tag, c.want.Planned, c.want.Target, c.want.Set = "t", 10, 60, second(0).UTC()
			c.want.Plans = []outlook.PlanProgress{{
				Runs: 10, Specs: 1, Iterations: 6, Missing: c.want.Missing, Set: second(0).UTC(),
			}}
			got := progressOf(t, 10, 6, c.runs, second(8))
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
			if got.String() != c.says || got.Done() != c.done {
				t.Errorf("%q, done %v", got, got.Done())
			}
		})
	}
}

func slowly(n int, status tracker.Status) (runs []report.Run) {
	for i := range n {
		runs = append(runs, begun(status, 6, float64(i)))
	}
	return runs
}

// TestPaceOfLate: a sweep that has slowed down to one run in 10 s, of 10 iterations
// each, is not judged by the 100 runs that it once made in a second.
func TestPaceOfLate(t *testing.T) {
	var runs []report.Run
	for i := range 100 {
		runs = append(runs, begun(tracker.Complete, 10, float64(i)/100))
	}
	for i := range 20 {
		runs = append(runs, begun(tracker.Complete, 10, float64(10*(i+1))))
	}
	runs = append(runs, begun(tracker.Running, 0, 210))
	got := progressOf(t, 130, 10, runs, time.Unix(100+220, 0))
	// The newest 8 began 140 … 210 s after the plan, and made 70 iterations in 80 s.
	if want := 100 * 80 / 70.0; got.Left == nil || math.Abs(*got.Left-want) > 1e-9 {
		t.Errorf("left: %v, want %v", got.Left, want)
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		p    outlook.Progress
		want float64
	}{
		{outlook.Progress{Planned: 4, Target: 8, Iterations: 2}, 0.25},
		{outlook.Progress{Planned: 4, Counts: outlook.Counts{Complete: 1}}, 0.25},
		{outlook.Progress{Planned: 4, Target: 8, Iterations: 12}, 1},
		{outlook.Progress{Planned: 4, Counts: outlook.Counts{Complete: 5}}, 1},
	} {
		if got := c.p.Fraction(); got != c.want {
			t.Errorf("%+v: %v", c.p, got)
		}
	}
}

// TestSurvey: a selection counts the planned runs that it selects by tags and by fields of the spec, whether they exist
// or not, and none by what only a run that exists has.
func TestSurvey(t *testing.T) {
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(store.Create(t.Context()))
	w := groupcommit.Start(t.Context(), store)
	for seed := range uint64(3) {
		spec := pod.PaperSpec()
		spec.Seed = seed
		claim := tracker.Claim{Spec: spec, Target: 1, Tags: []string{"a"}}
		if seed == 2 {
			claim.Tags = []string{"b"}
		}
		_, _, err := w.Acquire(t.Context(), claim)
		must(err)
	}
	must(w.Close(t.Context()))
	must(store.Update(t.Context(), func(tx *tracker.Tx) error {
		for tag, seeds := range map[string]string{"a": "0-1", "b": "1-5", "to-come": "10"} {
			plan := &runset.Plan{Specs: []schema.Spec{pod.PaperSpec()}, Iterations: 1}
			plan.Specs[0].Seed = 0
			must(plan.Seeds.UnmarshalText([]byte(seeds)))
			_, err := tx.AddPlan(plan, tag, tracker.Planned{})
			must(err)
		}
		return nil
	}))
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "3 runs: a 0 of 2 missing, b 3 of 5 missing, to-come 1 of 1 missing, "},
		{[]string{"tag=a"}, "2 runs: a 0 of 2 missing, "},
		{[]string{"tag=to-*"}, "0 runs: to-come 1 of 1 missing, "},
		{[]string{"tag=a,b", "tag=b"}, "1 runs: b 3 of 5 missing, "},
		{[]string{"tag=b", "seed=2-4"}, "1 runs: b 2 of 3 missing, "},
		{[]string{"tag~-"}, "0 runs: to-come 1 of 1 missing, "},
		{[]string{"seed=0"}, "1 runs: a 0 of 1 missing, "},
		{[]string{"seed>1", "seed!=3", "seed<11"}, "1 runs: b 2 of 3 missing, to-come 1 of 1 missing, "},
		{[]string{"env=ring", "kappa=1", "reading=as-written", "parent="},
			"3 runs: a 0 of 2 missing, b 3 of 5 missing, to-come 1 of 1 missing, "},
		{[]string{"kappa=2"}, "0 runs: "},
		{[]string{"seed=7"}, "0 runs: "},
		{[]string{"@1", "@2"}, "2 runs: "},
		{[]string{"tag=b", "status=interrupted"}, "1 runs: undecided status=interrupted"},
		{[]string{"tag!=a"}, "1 runs: undecided tag!=a"},
		{[]string{"tag=a", "tag=b"}, "0 runs: undecided tag=a tag=b"},
		{[]string{"tag=to-come", "name=x", "purposes>2"}, "0 runs: undecided name=x purposes>2"},
		{[]string{"tag=none", "status=failed"}, "0 runs: "},
		{[]string{"seed=7", "status=failed"}, "0 runs: "},
	} {
		must(store.View(t.Context(), func(tx *tracker.Tx) error {
			s, err := outlook.TakeSnapshot(tx, c.args, time.Now())
			slices.SortFunc(s.Progress, func(a, b outlook.Progress) int { return strings.Compare(a.Tag, b.Tag) })
			got := fmt.Sprintf("%d runs: ", len(s.Runs))
			for _, p := range s.Progress {
				got += fmt.Sprintf("%s %d of %d missing, ", p.Tag, p.Missing, p.Planned)
			}
			if s.Undecided != nil {
				got += "undecided " + strings.Join(s.Undecided, " ")
			}
			if got != c.want {
				t.Errorf("%q: %s, want %s", c.args, got, c.want)
			}
			return err
		}))
	}
}

func TestCheckSelection(t *testing.T) {
	for args, want := range map[string]bool{"": true, "seed=1": true, "name": true, "@1 x": true, "seed=1 name": false,
		"Colour=red": false, "seed=9-1": false} {
		if err := outlook.CheckSelection(strings.Fields(args)); (err == nil) != want {
			t.Errorf("%q: %v", args, err)
		}
	}
}
