package outlook

import (
	"testing"
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// TestTimeOf: work in parallel counts once, short gaps between runs count, and pauses do not.
func TestTimeOf(t *testing.T) {
	at := func(seconds float64) time.Time { return time.Unix(1000, int64(seconds*1e9)) }
	for _, c := range []struct {
		all  []work
		want time.Duration
	}{
		{nil, 0},
		{[]work{{begin: at(0), end: at(4)}, {begin: at(1), end: at(3)}, {begin: at(2), end: at(5)}}, 5 * time.Second},
		{[]work{{begin: at(2), end: at(3)}, {begin: at(0), end: at(1)}}, 3 * time.Second},
		{[]work{{begin: at(0), end: at(4)}, {begin: at(604), end: at(605)}}, 5 * time.Second},
		{[]work{{begin: at(3), end: at(0)}}, 0},
	} {
		if got := timeOf(c.all); got != c.want {
			t.Errorf("%v: %v, want %v", c.all, got, c.want)
		}
	}
}

// TestPaceWithAPause: a sweep that was killed after 4 iterations in 4 s, and is resumed ten minutes later, goes on at
// the pace that it had.
func TestPaceWithAPause(t *testing.T) {
	s := tracker.New(t.TempDir()+"/store.db", tracker.Options{})
	if err := s.Create(t.Context()); err != nil {
		t.Fatal(err)
	}
	begin := time.Unix(1000, 0)
	run := report.Run{Status: tracker.Running, Iterations: 4, Created: begin, Tags: []string{"t"}}
	tag := PlannedTag{Tag: "t", Plans: []NamedPlan{{
		PlannedTag: tracker.PlannedTag{Tag: "t", Planned: tracker.Planned{Set: begin.UnixNano()}},
		Selected:   &runset.Plan{Specs: []schema.Spec{run.Spec}, Seeds: runset.SeedSet(0), Iterations: 10},
	}}}
	var p Progress
	err := s.Update(t.Context(), func(tx *tracker.Tx) error {
		for n, session := range []tracker.Session{
			{Started: begin.UnixNano(), Ended: begin.Add(4 * time.Second).UnixNano(), To: 4, State: tracker.SessionVanished},
			{Started: begin.Add(600 * time.Second).UnixNano(), Ended: begin.Add(601 * time.Second).UnixNano(), From: 4, To: 5,
				State: tracker.SessionInterrupted},
		} {
			if err := tx.PutSession(run.ID, n, session); err != nil {
				return err
			}
		}
		all, err := ComputeProgress(tx, []PlannedTag{tag}, []report.Run{run}, begin.Add(601*time.Second))
		if err == nil {
			p = all[0]
		}
		return err
	})
	if err != nil || p.Left == nil || *p.Left != 6 {
		t.Errorf("%+v left, %v; want 6 iterations at 5 s for 5", p.Left, err)
	}
}
