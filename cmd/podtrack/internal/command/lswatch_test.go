package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// surveyed returns runs of seeds 0, 1, …, each in one of the states.
func surveyed(states ...tracker.Status) (s report.Snapshot) {
	for seed, status := range states {
		spec := pod.PaperSpec()
		spec.Seed = uint64(seed)
		s.Runs = append(s.Runs, report.Run{
			ID: schema.Name([]byte{byte(seed)}), Short: fmt.Sprintf("run%04d", seed), Seed: spec.Seed, Status: status, Target: 6,
			Spec: spec, Reading: "as-written",
		})
	}
	return s
}

func (s *screen) shows(t *testing.T, seen report.Snapshot) []string {
	t.Helper()
	out := s.out.(*bytes.Buffer)
	out.Reset()
	if err := s.Show(seen); err != nil {
		t.Fatal(err)
	}
	return strings.Split(out.String(), "\n")
}

// TestScreen: what is shown fits the terminal, runs at work come first, and each
// survey takes the place of the one before.
func TestScreen(t *testing.T) {
	const done, atWork = tracker.Complete, tracker.Running
	width, height := 60, 11
	s := &screen{out: &bytes.Buffer{}, size: func() (int, int, error) { return width, height, nil }}
	seen := surveyed(done, done, atWork, done, done, done, atWork, tracker.Failed)
	left := 200.0
	seen.Progress = []report.Progress{
		{Tag: "OLD", Planned: 4, Counts: report.Counts{Complete: 4}},
		{Tag: "NEW", Planned: 16, Counts: report.Counts{Complete: 5, Running: 2, Failed: 1}, Target: 96, Iterations: 48,
			Left: &left},
	}
	seen.Runs[6].Name = "\x1b[2Jevil"
	want := []string{
		"NEW  ████████████░░░░░░░░░░░░   50 %  5 of 16 complete, 2 ru",
		"OLD  ████████████████████████  100 %  4 of 4 complete",
		"",
		"run      name           seed  iterations  target  status",
		strings.Repeat("─", 59),
		`run0002                    2           0       6  running`,
		`run0006  \u001b[2Jevil     6           0       6  running`,
		`run0000                    0           0       6  complete`,
		"1 column hidden: head. COLUMNS=64 shows all.",
		"and 5 more runs: 4 complete, 1 failed",
	}
	lines := s.shows(t, seen)
	for i, line := range want {
		if got := strings.TrimSuffix(lines[i], "\x1b[K"); !strings.HasPrefix(got, line) {
			t.Errorf("line %d: %q, want %q", i, got, line)
		}
	}
	if last := lines[len(want):]; !slices.Equal(last, []string{"\x1b[J"}) {
		t.Errorf("at the end %q", last)
	}
	if again := s.shows(t, seen)[0]; !strings.HasPrefix(again, "\x1b[10FNEW ") {
		t.Errorf("the second time %q", again)
	}
	width = 40
	if narrower := s.shows(t, seen)[0]; !strings.HasPrefix(narrower, "\x1b[2J\x1b[HNEW ") {
		t.Errorf("in a narrower terminal %q", narrower)
	}
	s.aside()
	if below := s.shows(t, seen)[0]; !strings.HasPrefix(below, "NEW ") {
		t.Errorf("below something else %q", below)
	}
}

// TestScreensOfAnySize fit.
func TestScreensOfAnySize(t *testing.T) {
	for height := range 30 {
		for _, plans := range []int{0, 1, 7, 40} {
			for _, runs := range []int{0, 1, 5, 100} {
				seen := surveyed(slices.Repeat([]tracker.Status{tracker.Interrupted}, runs)...)
				for i := range plans {
					seen.Progress = append(seen.Progress, report.Progress{Tag: fmt.Sprint("plan", i), Planned: 3})
				}
				s := &screen{out: &bytes.Buffer{}, size: func() (int, int, error) { return 33, height, nil }}
				lines := s.shows(t, seen)
				most := height
				if height == 0 {
					most = usualHeight
				}
				if len(lines) > max(most, 2) {
					t.Errorf("%d plans and %d runs: %d lines where %d fit", plans, runs, len(lines), most)
				}
			}
		}
	}
}

// TestSurveyText: a line comes when runs change their states, and now and then when
// only iterations are made.
func TestSurveyText(t *testing.T) {
	now := time.Unix(0, 0)
	var out bytes.Buffer
	s := &surveyText{out: &out, now: func() time.Time { return now }}
	show := func(what, want string, seen report.Snapshot) {
		t.Helper()
		out.Reset()
		if err := s.Show(seen); err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", what, out.String(), err)
		}
	}
	show("no plan", "2 runs: 1 complete, 1 running\n", surveyed(tracker.Complete, tracker.Running))
	show("the same", "", surveyed(tracker.Running, tracker.Complete))
	show("no runs", "no runs\n", report.Snapshot{})
	p := report.Progress{Tag: "t", Planned: 4, Counts: report.Counts{Running: 2}, Target: 24}
	plans := func(p ...report.Progress) report.Snapshot { return report.Snapshot{Progress: p} }
	show("a plan", "t: 0 of 4 complete, 2 running; 0 of 24 iterations\n", plans(p))
	p.Iterations = 3
	show("iterations", "", plans(p))
	now = now.Add(cmdline.LineEvery)
	show("iterations after a while", "t: 0 of 4 complete, 2 running; 3 of 24 iterations\n", plans(p))
	now = now.Add(cmdline.LineEvery)
	show("nothing after a while", "", plans(p))
	p.Complete, p.Running = 1, 1
	show("a run", "t: 1 of 4 complete, 1 running; 3 of 24 iterations\nt: 1 of 4 complete, 1 running; 3 of 24 iterations\n",
		plans(p, p))
}

// TestSurveyLines: only what has changed is told again.
func TestSurveyLines(t *testing.T) {
	var out bytes.Buffer
	s := &surveyLines{out: &out, runs: map[schema.Digest]string{}, tags: map[string]string{}}
	show := func(what, want string, seen report.Snapshot) {
		t.Helper()
		out.Reset()
		if err := s.Show(seen); err != nil {
			t.Fatal(err)
		}
		got := ""
		for _, line := range strings.SplitAfter(out.String(), "\n") {
			var row struct{ Type, Status, Tag string }
			if line != "" {
				if err := json.Unmarshal([]byte(line), &row); err != nil {
					t.Fatalf("%s: %q: %v", what, line, err)
				}
				got += strings.TrimSpace(row.Type+" "+row.Status+row.Tag) + "\n"
			}
		}
		if got != want {
			t.Errorf("%s: %q", what, got)
		}
	}
	seen := surveyed(tracker.Running, tracker.Complete)
	seen.Progress = []report.Progress{{Tag: "t", Planned: 4}}
	show("at first", "run running\nrun complete\nprogress t\n", seen)
	left := 3.0
	seen.Progress[0].Left = &left
	show("time goes by", "", seen)
	seen.Runs[0].Status, seen.Progress[0].Complete = tracker.Complete, 2
	show("one ends", "run complete\nprogress t\n", seen)
	seen.Runs = seen.Runs[:1]
	show("one is removed", "gone\n", seen)
}

// TestWatchReadsWhatChanges: a store that nobody writes to is not read again, but for
// runs at work, which can die.
func TestWatchReadsWhatChanges(t *testing.T) {
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	if err := store.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := &watch{store: store, args: []string{"tag=t"}, sort: "-seed"}
	now := time.Now()
	survey := func(what string, want bool) {
		t.Helper()
		if changed, err := w.survey(t.Context(), now); err != nil || changed != want {
			t.Errorf("%s: read %v, %v", what, changed, err)
		}
	}
	survey("at first", true)
	survey("once more", false)
	writer := store.StartWriter(t.Context())
	run, _, err := writer.Acquire(t.Context(), tracker.Claim{Spec: pod.PaperSpec(), Target: 1, Tags: []string{"t"}})
	if err == nil {
		err = writer.Flush(t.Context()) // the claim is committed while the run begins
	}
	if err != nil {
		t.Fatal(err)
	}
	survey("a run begins", true)
	survey("it is at work", false)
	now = now.Add(lookAfter)
	survey("it may have died", true)
	if w.ended() {
		t.Error("it ends without a plan")
	}
	run.Release(nil)
	if err := writer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	survey("it is let go", true)
	now = now.Add(lookAfter)
	survey("nobody is at work", false)
}
