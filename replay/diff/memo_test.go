package diff

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"testing/synctest"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// counted returns a function that remembers the text of a key, and how often it was computed.
func counted() (ask func(ctx context.Context, key string) string, times map[string]int) {
	times = map[string]int{}
	return func(ctx context.Context, key string) string {
		text, _ := remember(ctx, key, func() (string, error) {
			times[key]++
			return "of " + key, nil
		})
		return text
	}, times
}

// TestMemoKeepsTheLast: within a memo each of the last results is computed once; without one, each time.
func TestMemoKeepsTheLast(t *testing.T) {
	ask, times := counted()
	ctx := new(Memo).Within(t.Context())
	for range 2 {
		for i := range maxResults {
			if key := fmt.Sprint(i); ask(ctx, key) != "of "+key || times[key] != 1 {
				t.Fatalf("%s: computed %d times", key, times[key])
			}
		}
	}
	ask(ctx, "another")
	if ask(ctx, "1"); times["1"] != 1 {
		t.Error("a result was lost that is among the last")
	}
	if ask(ctx, "0"); times["0"] != 2 {
		t.Error("more results were kept than the last ones")
	}
	if ask(t.Context(), "1"); times["1"] != 2 {
		t.Error("without a memo, a result was kept")
	}
	if ask(new(Memo).Within(ctx), "another"); times["another"] != 1 {
		t.Error("a context lost its memo")
	}
}

// TestMemoComputesOnce: many that ask at once wait for one computation, each no longer than its own context. What
// failed, was cancelled or panicked is not kept: the next computes it.
func TestMemoComputesOnce(t *testing.T) {
	for _, c := range []struct {
		name    string
		compute func(ctx context.Context, cancel func(), time int) error
		times   int
	}{
		{"a result", func(context.Context, func(), int) error { return nil }, 1},
		{"an error", func(_ context.Context, _ func(), time int) error {
			if time == 1 {
				return errors.New("no such record")
			}
			return nil
		}, 2},
		{"cancelled", func(ctx context.Context, cancel func(), time int) error {
			if time == 1 {
				cancel()
			}
			return ctx.Err()
		}, 2},
		{"a panic", func(_ context.Context, _ func(), time int) error {
			if time == 1 {
				panic("an index")
			}
			return nil
		}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				memo, times, start := new(Memo), 0, make(chan struct{})
				ask := func(ctx context.Context, cancel func()) (err error) {
					defer func() {
						if recover() != nil {
							err = errors.New("panicked")
						}
					}()
					_, err = remember(memo.Within(ctx), "group", func() (int, error) {
						times++
						<-start
						return 1, c.compute(ctx, cancel, times)
					})
					return err
				}
				first, cancel := context.WithCancel(t.Context())
				go ask(first, cancel)
				synctest.Wait()
				answers := make(chan error, 3)
				for range cap(answers) {
					go func() { answers <- ask(t.Context(), func() {}) }()
				}
				impatient, stop := context.WithCancel(t.Context())
				left := make(chan error, 1)
				go func() { left <- ask(impatient, func() {}) }()
				synctest.Wait()
				stop()
				if err := <-left; !errors.Is(err, context.Canceled) {
					t.Errorf("one that was cancelled while it waited: %v", err)
				}
				close(start)
				for range cap(answers) {
					ok(t, <-answers)
				}
				ok(t, ask(t.Context(), func() {}))
				if times != c.times {
					t.Errorf("computed %d times, want %d", times, c.times)
				}
			})
		})
	}
}

// TestGroupIsClusteredOnce: within a memo, runs are compared again only if something else is asked of them, or if they
// are others, have other names or went on.
func TestGroupIsClusteredOnce(t *testing.T) {
	store, runs := storedRuns(t, 3)
	ctx, computed := new(Memo).Within(t.Context()), 0
	ask := func(runs []report.Run, o GroupOptions) Clustering {
		t.Helper()
		working := 0
		o.Progress = func(int64, int64) { working = 1 }
		g, err := ClusterRuns(ctx, store, slices.Clone(runs), o)
		ok(t, err)
		computed += working
		return g
	}
	ask(runs, GroupOptions{Draws: 99})
	ask([]report.Run{runs[2], runs[0], runs[1]}, GroupOptions{Draws: 99})
	ask(runs, GroupOptions{Draws: 99, By: Options, Limits: Limits{Cosine: Threshold}})
	if computed != 1 {
		t.Errorf("one group was compared %d times", computed)
	}
	for i, o := range []GroupOptions{
		{Draws: 98}, {Draws: 99, By: Purposes}, {Draws: 99, Limits: Limits{Cosine: 0.9}},
		{Draws: 99, Limits: Limits{Agreement: 0.9}},
	} {
		if g := ask(runs, o); computed != i+2 || g.Draws != o.Draws {
			t.Errorf("%+v: compared %d times", o, computed)
		}
	}
	if g := ask(runs[:2], GroupOptions{Draws: 99}); len(g.Runs) != 2 {
		t.Errorf("of two runs: %d", len(g.Runs))
	}
	ok(t, store.Update(t.Context(), func(tx *tracker.Tx) error { return tx.SetName(runs[0].ID, "renamed") }))
	if g := ask(runs, GroupOptions{Draws: 99}); g.Runs[0].Label != "renamed" {
		t.Errorf("a renamed run is called %s", g.Runs[0].Label)
	}
}

// TestTwoRunsAreComparedOnce: within a memo, so are two runs or iterations.
func TestTwoRunsAreComparedOnce(t *testing.T) {
	runs := tinyRuns(t, 2, 2)
	ask := func(ctx context.Context, ref report.Ref, l Limits) *Comparison {
		again := reopen(t, runs...)
		r, err := CompareRefs(ctx, again[0], ref, again[1], ref, l)
		ok(t, err)
		return &r.Iterations[0]
	}
	ctx, whole := new(Memo).Within(t.Context()), report.Ref{WholeRun: true}
	first := ask(ctx, whole, Limits{})
	if ask(ctx, whole, Limits{Gap: NarrowGap}) != first {
		t.Error("compared again")
	}
	if ask(t.Context(), whole, Limits{}) == first || ask(ctx, report.Ref{}, Limits{}) == first ||
		ask(ctx, report.Ref{K: 1}, Limits{}).K != 1 || ask(ctx, whole, Limits{Cosine: 0.5}).Threshold != 0.5 {
		t.Error("one comparison is another's result")
	}
}

// storedRuns returns n tiny runs of a store.
func storedRuns(t *testing.T, n int) (store *tracker.Store, runs []report.Run) {
	t.Helper()
	store = tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	ok(t, store.Create(t.Context()))
	w := groupcommit.Start(t.Context(), store)
	engine := replay.NewEngine(store, w, replay.Options{})
	for seed := range uint64(n) {
		engine.Run(t.Context(), replay.Job{Spec: tiny(seed), Target: 2}, func(o replay.Outcome) { ok(t, o.Err) })
	}
	ok(t, w.Close(t.Context()))
	ok(t, store.View(t.Context(), func(tx *tracker.Tx) (err error) {
		runs, err = report.SelectSome(tx, []string{"env=*"})
		return err
	}))
	ok(t, report.Sort(runs, "seed"))
	return store, runs
}
