package report_test

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// labelledRuns returns a store of runs without iterations, with names and tags; the last one is running.
func labelledRuns(t *testing.T) *tracker.Store {
	t.Helper()
	ctx := context.Background()
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	if err := store.Create(ctx); err != nil {
		t.Fatal(err)
	}
	acquire := func(w *groupcommit.Writer, seed uint64) *groupcommit.RunWriter {
		spec := pod.PaperSpec()
		spec.Seed, spec.Kappa = seed, float64(seed%3)
		claim := tracker.Claim{Spec: spec, Target: 2, Tags: []string{fmt.Sprint("t", seed%4), fmt.Sprint("u", seed%5)}}
		if seed%2 == 0 {
			claim.Name = fmt.Sprintf("n%d.%d", seed, seed)
		}
		run, _, err := w.Acquire(ctx, claim)
		if err != nil {
			t.Fatal(err)
		}
		return run
	}
	w := groupcommit.Start(ctx, store)
	for seed := range uint64(23) {
		acquire(w, seed).Release(nil)
	}
	if err := w.Close(ctx); err != nil {
		t.Fatal(err)
	}
	w = groupcommit.Start(ctx, store)
	running := acquire(w, 23)
	t.Cleanup(func() { running.Release(nil); _ = w.Close(ctx) })
	return store
}

// TestIndexedFilters: a filter selects the same runs in the same order, whether an index finds them
// or each is read and matched.
func TestIndexedFilters(t *testing.T) {
	store := labelledRuns(t)
	view := func(read func(tx *tracker.Tx) error) {
		t.Helper()
		if err := store.View(t.Context(), read); err != nil {
			t.Fatal(err)
		}
	}
	var all []report.Run
	view(func(tx *tracker.Tx) (err error) { all, err = report.Select(tx, nil); return err })
	id := all[7].ID.String()
	for text, want := range map[string]int{
		"run=" + id: 1, "run=" + strings.ToUpper(id[:9]): 1, "run=" + id[:2] + "," + all[3].Short: -1, "run=": 0,
		"run=*": 24, "tag==": 0, "tag==t1": 0, "tag==t1,u0": -1, "tag==u0,t1": -1,
		"run~" + id[5:9]: -1, "run!=" + id: 23, "name=n4.4": 1, "name=n*": 12, "name=*": 12, "name=": 12,
		"name!=n4.4": 23,
		"name~2":     4, "name=n4.4 seed=5": 0, "tag=t1": 6, "tag=t1,u2": -1, "tag~1": -1, "tag!=t1": 18, "tag=": 0,
		"tag=t1 tag=u1": -1, "status=running": 1, "status=run*": 1, "status=running,interrupted": 24,
		"status!=running":       23,
		"status=running tag=t0": 0, "seed=3": 1, "seed=3-9 kappa=0": 3, "seed>20 status=running": 1, "parent=": 24,
		"reading=as-written seed<2": 2, "note=": 24, "target=2 tag=u0 kappa!=1": -1,
	} {
		args := strings.Fields(text)
		filter, err := report.ParseFilter(args)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		view(func(tx *tracker.Tx) error {
			var plain, found []schema.Digest
			for _, r := range all {
				if ok, err := filter.Match(tx, &r); err != nil {
					return err
				} else if ok {
					plain = append(plain, r.ID)
				}
			}
			runs, err := report.Select(tx, args)
			for _, r := range runs {
				found = append(found, r.ID)
			}
			if !slices.Equal(found, plain) || want >= 0 && len(found) != want {
				t.Errorf("%s: %d runs, %d where each is matched, want %d", text, len(found), len(plain), want)
			}
			return err
		})
	}
}

// TestSelectFirst: the number of all runs comes with the first of them.
func TestSelectFirst(t *testing.T) {
	store := labelledRuns(t)
	for _, c := range []struct {
		args         string
		limit        int
		total, first int
		seed         uint64
	}{{"", 3, 24, 3, 23}, {"", 99, 24, 24, 23}, {"seed=0-9", 4, 10, 4, 9}, {"name=n4.4", 4, 1, 1, 4}} {
		err := store.View(t.Context(), func(tx *tracker.Tx) error {
			total, runs, err := report.SelectFirst(tx, strings.Fields(c.args), c.limit)
			if err == nil && (total != c.total || len(runs) != c.first || runs[0].Seed != c.seed) {
				t.Errorf("%q: %d of %d runs", c.args, len(runs), total)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}
