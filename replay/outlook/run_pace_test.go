package outlook

import (
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// TestRunPaceText: the words leave out what is unknown, and say when a process is silent.
func TestRunPaceText(t *testing.T) {
	now := time.Unix(1000, 0)
	seconds := func(x float64) *float64 { return &x }
	ago := func(s int) *time.Time { then := now.Add(-time.Duration(s) * time.Second); return &then }
	for _, c := range []struct {
		pace        RunPace
		done        int
		text, short string
	}{
		{RunPace{Left: seconds(480), LeftFrom: FromRun, Each: seconds(2.9), Last: ago(4), Alive: ago(1)}, 51,
			"51 of 420 iterations · about 8 min left · 2.9 s each, the last one 4 s ago", "8 min left"},
		{RunPace{Left: seconds(480), LeftFrom: FromRun, Each: seconds(2.9), Last: ago(400), Alive: ago(300)}, 51,
			"51 of 420 iterations · about 8 min left · 2.9 s each, the last one 7 min ago · no sign of life for 5 min",
			"8 min left"},
		{RunPace{Left: seconds(119), LeftFrom: AtLeast, Alive: ago(2)}, 0,
			"0 of 420 iterations · at least 1 min left · last sign of life 2 s ago", "≥ 1 min left"},
		{RunPace{Each: seconds(0.04), Alive: ago(2)}, 51,
			"51 of 420 iterations · 40 ms each · last sign of life 2 s ago", ""},
		{RunPace{}, 0, "0 of 420 iterations", ""},
	} {
		c.pace.describe(report.Run{Iterations: c.done, Target: 420}, now)
		if c.pace.Text != c.text || c.pace.Short != c.short {
			t.Errorf("%q and %q, want %q and %q", c.pace.Text, c.pace.Short, c.text, c.short)
		}
	}
}

// newStore returns an empty store with a writer, and a function that fails the test for an error.
func newStore(t *testing.T) (*tracker.Store, *groupcommit.Writer, func(error)) {
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	s := tracker.New(t.TempDir()+"/store.db", tracker.Options{})
	must(s.Create(t.Context()))
	return s, groupcommit.Start(t.Context(), s), must
}

// TestRunPace: the last iteration of a run ended when work was saved last, if nothing of the next one was. The mean of
// the last five, of 2, 3, 4, 5 and 1 seconds, tells how long others take.
func TestRunPace(t *testing.T) {
	s, w, must := newStore(t)
	run, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: pod.PaperSpec(), Target: 10, Session: &tracker.Session{}})
	must(err)
	for k := range 6 {
		must(run.SealIteration(k, schema.Iteration{Link: schema.Name([]byte{byte(k)})},
			tracker.Cost{Stages: map[string]int64{stages.Collect: int64(k%5+1) * 1e9}}))
	}
	must(w.Flush(t.Context()))
	var pace, ended *RunPace
	var saved time.Time
	must(s.View(t.Context(), func(tx *tracker.Tx) error {
		id, err := schema.RunID(pod.PaperSpec(), nil)
		must(err)
		r, err := report.LoadRun(tx, id.String())
		must(err)
		sessions, err := tx.ReadSessions(id)
		must(err)
		saved = time.Unix(0, sessions[0].Saved)
		pace, err = NewPacer(tx, saved.Add(4*time.Second)).Load(r)
		must(err)
		r.Status = tracker.Complete
		ended, err = NewPacer(tx, saved).Load(r)
		return err
	}))
	const want = "6 of 10 iterations · about 12 s left · 3.0 s each, the last one 4 s ago"
	if pace == nil || pace.Text != want || pace.Last == nil || !pace.Last.Equal(saved) {
		t.Errorf("%+v, want %q", pace, want)
	}
	if ended != nil {
		t.Errorf("a complete run has the pace %q", ended.Text)
	}
	run.Release(nil)
	must(w.Close(t.Context()))
}

// TestEstimateOfMany: of very many later iterations the costs of some stand for all.
func TestEstimateOfMany(t *testing.T) {
	s, w, must := newStore(t)
	spec, other := pod.PaperSpec(), pod.PaperSpec()
	other.Seed++
	const n = 10 * maxSampled
	done, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: spec, Target: n})
	must(err)
	for k := range n { // of k + 1 ms each
		must(done.SealIteration(k, schema.Iteration{Link: schema.Name([]byte{byte(k), byte(k >> 8)})},
			tracker.Cost{Stages: map[string]int64{stages.Collect: int64(k+1) * 1e6}}))
	}
	done.Release(nil)
	now, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: other, Target: n})
	must(err)
	must(w.Flush(t.Context()))
	must(s.View(t.Context(), func(tx *tracker.Tx) error {
		all, err := report.Select(tx, nil)
		must(err)
		statuses, err := LoadStatus(tx, all[:1], all)
		must(err)
		const want = n * (n + 1) / 2 * 1e-3
		if left := statuses[0].Left; statuses[0].Iterations != 0 || left == nil || *left < 0.95*want || *left > 1.05*want {
			t.Errorf("%v s left, want about %v", left, want)
		}
		return nil
	}))
	now.Release(nil)
	must(w.Close(t.Context()))
}
