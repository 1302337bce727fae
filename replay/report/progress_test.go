package report_test

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// begun returns a run of that tag that began so many seconds after the plan was set.
func begun(tag string, status tracker.Status, iterations int, after float64) report.Run {
	return report.Run{
		Tags: []string{tag}, Status: status, Iterations: iterations, Created: time.Unix(100, int64(after*1e9)).UTC(),
	}
}

func TestProgress(t *testing.T) {
	plan := tracker.Plan{Runs: 10, Iterations: 60, Set: 100e9}
	second := func(n int) time.Time { return time.Unix(100+int64(n), 0) }
	seconds := func(x float64) *float64 { return &x }
	const complete, running, failed, interrupted = tracker.Complete, tracker.Running, tracker.Failed,
		tracker.Interrupted
	for _, c := range []struct {
		name string
		runs []report.Run
		want report.Progress
		says string
		done bool
	}{
		{"nothing begun", nil, report.Progress{Missing: 10}, "0 of 10 complete, 10 missing", false},
		{"at work: 12 of 60 iterations in 8 s leave 48 for 32 s",
			[]report.Run{
				begun("t", complete, 6, 0), begun("t", running, 4, 0), begun("t", running, 2, 4),
				begun("other", failed, 6, 5),
			},
			report.Progress{
				Counts: report.Counts{Complete: 1, Running: 2}, Missing: 7, Iterations: 12, Left: seconds(32),
			},
			"1 of 10 complete, 2 running, 7 missing", false},
		{"what was made before the plan tells no pace: 2 iterations in 4 s leave 48 for 96 s",
			[]report.Run{begun("t", complete, 6, -100), begun("t", running, 4, -50), begun("t", running, 2, 4)},
			report.Progress{
				Counts: report.Counts{Complete: 1, Running: 2}, Missing: 7, Iterations: 12, Left: seconds(96),
			},
			"1 of 10 complete, 2 running, 7 missing", false},
		{"just begun", []report.Run{begun("t", running, 0, 8)},
			report.Progress{Counts: report.Counts{Running: 1}, Missing: 9}, "0 of 10 complete, 1 running, 9 missing", false},
		{"stopped", []report.Run{begun("t", complete, 6, 0), begun("t", failed, 1, 0), begun("t", interrupted, 2, 1)},
			report.Progress{Counts: report.Counts{Complete: 1, Failed: 1, Interrupted: 1}, Missing: 7, Iterations: 9},
			"1 of 10 complete, 1 interrupted, 1 failed, 7 missing", false},
		{"complete by a lower target", append(slowly(9, complete), begun("t", complete, 5, 0)),
			report.Progress{Counts: report.Counts{Complete: 9}, Missing: 1, Iterations: 59},
			"9 of 10 complete, 1 missing", false},
		{"more than planned", slowly(12, complete),
			report.Progress{Counts: report.Counts{Complete: 12}, Iterations: 72}, "12 of 10 complete", true},
		{"one goes on beyond", append(slowly(10, complete), begun("t", running, 60, 7)),
			report.Progress{Counts: report.Counts{Complete: 10, Running: 1}, Iterations: 66},
			"10 of 10 complete, 1 running", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.want.Tag, c.want.Planned, c.want.Target, c.want.Set = "t", 10, 60, second(0).UTC()
			got := report.ComputeProgress(nil, []tracker.TaggedPlan{{Tag: "t", Plan: plan}}, c.runs, second(8))[0]
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
		runs = append(runs, begun("t", status, 6, float64(i)))
	}
	return runs
}

// TestPaceOfLate: a sweep that has slowed down to one run in 10 s, of 10 iterations
// each, is not judged by the 100 runs that it once made in a second.
func TestPaceOfLate(t *testing.T) {
	var runs []report.Run
	for i := range 100 {
		runs = append(runs, begun("t", tracker.Complete, 10, float64(i)/100))
	}
	for i := range 20 {
		runs = append(runs, begun("t", tracker.Complete, 10, float64(10*(i+1))))
	}
	runs = append(runs, begun("t", tracker.Running, 0, 210))
	plan := tracker.TaggedPlan{Tag: "t", Plan: tracker.Plan{Runs: 130, Iterations: 1300, Set: 100e9}}
	got := report.ComputeProgress(nil, []tracker.TaggedPlan{plan}, runs, time.Unix(100+220, 0))[0]
	// The newest 8 began 140 … 210 s after the plan, and made 70 iterations in 80 s.
	if want := 100 * 80 / 70.0; got.Left == nil || math.Abs(*got.Left-want) > 1e-9 {
		t.Errorf("left: %v, want %v", got.Left, want)
	}
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		p    report.Progress
		want float64
	}{
		{report.Progress{Planned: 4, Target: 8, Iterations: 2}, 0.25},
		{report.Progress{Planned: 4, Counts: report.Counts{Complete: 1}}, 0.25},
		{report.Progress{Planned: 4, Target: 8, Iterations: 12}, 1},
		{report.Progress{Planned: 4, Counts: report.Counts{Complete: 5}}, 1},
	} {
		if got := c.p.Fraction(); got != c.want {
			t.Errorf("%+v: %v", c.p, got)
		}
	}
}

// TestSurvey: a plan is told of where the selection touches it, and counts the runs
// that the selection leaves out.
func TestSurvey(t *testing.T) {
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(store.Create(t.Context()))
	w := store.StartWriter(t.Context())
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
		must(tx.SetPlan("a", tracker.Plan{Runs: 2, Iterations: 2, Set: 1}))
		must(tx.SetPlan("b", tracker.Plan{Runs: 5, Iterations: 5, Set: 2}))
		return tx.SetPlan("to-come", tracker.Plan{Runs: 1, Iterations: 1, Set: 3})
	}))
	for _, c := range []struct {
		args []string
		want string
	}{
		{nil, "3 runs: to-come 1 missing, b 4 missing, a 0 missing, "},
		{[]string{"tag=a"}, "2 runs: a 0 missing, "},
		{[]string{"tag=to-*"}, "0 runs: to-come 1 missing, "},
		{[]string{"tag=a,b", "tag=b"}, "1 runs: b 4 missing, "},
		{[]string{"seed=0"}, "1 runs: a 0 missing, "},
		{[]string{"seed=7"}, "0 runs: "},
		{[]string{"@1", "@2"}, "2 runs: b 4 missing, a 0 missing, "},
	} {
		must(store.View(t.Context(), func(tx *tracker.Tx) error {
			s, err := report.TakeSnapshot(tx, c.args, time.Now())
			got := fmt.Sprintf("%d runs: ", len(s.Runs))
			for _, p := range s.Progress {
				got += fmt.Sprintf("%s %d missing, ", p.Tag, p.Missing)
			}
			if got != c.want {
				t.Errorf("%q: %s", c.args, got)
			}
			return err
		}))
	}
}

func TestCheckSelection(t *testing.T) {
	for args, want := range map[string]bool{"": true, "seed=1": true, "name": true, "@1 x": true, "seed=1 name": false,
		"Colour=red": false, "seed=9-1": false} {
		if err := report.CheckSelection(strings.Fields(args)); (err == nil) != want {
			t.Errorf("%q: %v", args, err)
		}
	}
}
