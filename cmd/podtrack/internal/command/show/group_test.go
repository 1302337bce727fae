package show

import (
	"context"
	"io"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// TestDiffIsOfTheRememberedResult: within a memo, a figure shows what the command diff found by its defaults. It is
// drawn from a store without the records that it would take to compare the runs anew.
func TestDiffIsOfTheRememberedResult(t *testing.T) {
	whole, bare := twoRuns(t, nil), twoRuns(t, &tracker.Retention{})
	ctx := new(diff.Memo).Within(t.Context())
	runs, err := cmdline.SelectSomeRunsOf(ctx, whole, []string{"env=*"})
	ok(t, err)
	_, err = diff.ClusterRuns(ctx, whole, runs, diff.GroupOptions{})
	ok(t, err)
	var sides [2]*diff.Side
	for i := range sides {
		sides[i], err = diff.Open(ctx, whole, runs[i].ID.String())
		ok(t, err)
	}
	ref := report.Ref{WholeRun: true}
	_, err = diff.CompareRefs(ctx, sides[0], ref, sides[1], ref, diff.Limits{})
	ok(t, err)
	for _, q := range []figure.Request{
		{Args: []string{"env=*"}, Choices: map[string]string{"group": "true"}},
		{Args: []string{"env=*"}, Choices: map[string]string{"group": "true", "by": "options", "cosine": "0.95"}},
		{Args: []string{runs[0].ID.String(), runs[1].ID.String()}},
	} {
		draw := func(ctx context.Context, store *tracker.Store) error {
			q.Store, q.Style, q.Warn = store, chart.Style{Width: 432}, io.Discard
			f, err := plotDiff(ctx, q)
			if err == nil {
				err = figure.Write(io.Discard, f, "svg", q.Style)
			}
			return err
		}
		ok(t, draw(t.Context(), whole))
		if draw(t.Context(), bare) == nil {
			t.Errorf("%q: compared without records", q.Args)
		}
		if err := draw(ctx, bare); err != nil {
			t.Errorf("%q: compared again: %v", q.Args, err)
		}
	}
}

// twoRuns returns a store with two runs that keep these records.
func twoRuns(t *testing.T, keep *tracker.Retention) *tracker.Store {
	t.Helper()
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	ok(t, store.Create(t.Context()))
	w := groupcommit.Start(t.Context(), store)
	engine := replay.NewEngine(store, w, replay.Options{})
	for seed := range uint64(2) {
		spec := pod.PaperSpec()
		spec.Seed, spec.Env.Params["bits"], spec.Steps = seed, 6, 100
		engine.Run(t.Context(), replay.Job{Spec: spec, Target: 2, Keep: keep}, func(o replay.Outcome) { ok(t, o.Err) })
	}
	ok(t, w.Close(t.Context()))
	return store
}

func ok(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
