package inspect

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/outlook"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// surveyed returns runs of seeds 0, 1, …, each in one of the states.
func surveyed(states ...tracker.Status) (s outlook.Snapshot) {
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

// TestProgressText: a line comes when runs change their states, and now and then when
// only iterations are made.
func TestProgressText(t *testing.T) {
	now := time.Unix(0, 0)
	var out bytes.Buffer
	p := &progressText{w: &out, now: func() time.Time { return now }}
	show := func(what, want string, seen outlook.Snapshot) {
		t.Helper()
		out.Reset()
		if err := p.show(seen); err != nil || out.String() != want {
			t.Errorf("%s: %q, %v", what, out.String(), err)
		}
	}
	show("no plan", "2 runs: 1 complete, 1 running\n", surveyed(tracker.Complete, tracker.Running))
	show("the same", "", surveyed(tracker.Running, tracker.Complete))
	show("no runs", "no runs\n", outlook.Snapshot{})
	tag := outlook.Progress{Tag: "t", Planned: 4, Counts: outlook.Counts{Running: 2}, Target: 24}
	plans := func(tags ...outlook.Progress) outlook.Snapshot { return outlook.Snapshot{Progress: tags} }
	show("a plan", "t: 0 of 4 complete, 2 running; 0 of 24 iterations\n", plans(tag))
	tag.Iterations = 3
	show("iterations", "", plans(tag))
	now = now.Add(cmdline.LineEvery)
	show("iterations after a while", "t: 0 of 4 complete, 2 running; 3 of 24 iterations\n", plans(tag))
	now = now.Add(cmdline.LineEvery)
	show("nothing after a while", "", plans(tag))
	tag.Complete, tag.Running = 1, 1
	show("a run", "t: 1 of 4 complete, 1 running; 3 of 24 iterations\nt: 1 of 4 complete, 1 running; 3 of 24 iterations\n",
		plans(tag, tag))
}

// TestWatchReadsWhatChanges: an unchanged store is not read again, except for
// runs at work, which can die.
func TestWatchReadsWhatChanges(t *testing.T) {
	now := time.Now()
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"),
		tracker.Options{Now: func() time.Time { return now }})
	if err := store.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	w := &watch{store: store.Follow(), args: []string{"tag=t"}}
	survey := func(what string, want bool) {
		t.Helper()
		if changed, err := w.survey(t.Context()); err != nil || changed != want {
			t.Errorf("%s: read %v, %v", what, changed, err)
		}
	}
	survey("at first", true)
	survey("once more", false)
	writer := groupcommit.Start(t.Context(), store)
	run, _, err := writer.Acquire(t.Context(), tracker.Claim{Spec: pod.PaperSpec(), Target: 1, Tags: []string{"t"}})
	if err == nil {
		err = writer.Flush(t.Context()) // the claim is committed while the run begins
	}
	if err != nil {
		t.Fatal(err)
	}
	survey("a run begins", true)
	survey("it is at work", false)
	now = now.Add(outdated)
	survey("it may have died", true)
	run.Release(nil)
	if err := writer.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	survey("it is let go", true)
	now = now.Add(outdated)
	survey("no run is running", false)
}
