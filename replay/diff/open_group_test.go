package diff

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// TestGroupSize: a group that is too large to compare is refused because of its measures alone; the runs need no other
// record.
func TestGroupSize(t *testing.T) {
	ctx := context.Background()
	store := tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
	ok(t, store.Create(ctx))
	w := groupcommit.Start(ctx, store)
	engine := replay.NewEngine(store, w, replay.Options{})
	for seed := range uint64(3) {
		engine.Run(ctx, replay.Job{Spec: tiny(seed), Target: 2, Keep: &tracker.Retention{}},
			func(o replay.Outcome) { ok(t, o.Err) })
	}
	ok(t, w.Close(ctx))
	var runs []report.Run
	purposes, options := 0, 0
	ok(t, store.View(ctx, func(tx *tracker.Tx) (err error) {
		if runs, err = report.SelectSome(tx, []string{"env=*"}); err != nil {
			return err
		}
		for _, r := range runs {
			for k := range r.Iterations {
				m, err := report.LoadMeasures(tx, r.ID, k)
				ok(t, err)
				purposes, options = purposes+int(m.Purposes), options+int(m.Options)
			}
		}
		return nil
	}))
	if len(runs) != 3 || purposes == 0 || options != 2*purposes {
		t.Fatalf("%d runs with %d purposes and %d options", len(runs), purposes, options)
	}
	for _, c := range []struct {
		by   Kind
		most groupSize
		says string // "" for no refusal
	}{
		{"", groupSize{3, options}, ""},
		{Purposes, groupSize{3, purposes}, ""},
		{Purposes, groupSize{2, options}, "3 runs: more than 2 cannot be compared"},
		{Purposes, groupSize{3, purposes - 1}, " purposes of 3 runs: more than "},
		{Options, groupSize{3, options - 1}, " options of 3 runs: more than "},
		{"", groupSize{3, purposes}, " options of 3 runs: more than "},
	} {
		err := checkGroup(ctx, store, runs, c.by, c.most)
		switch {
		case c.says == "":
			ok(t, err)
		case !errors.Is(err, ErrIncomparable) || !strings.Contains(err.Error(), c.says) ||
			!strings.Contains(schema.Remedy(err), "choose fewer"):
			t.Errorf("%q, %+v: %v (%s)", c.by, c.most, err, schema.Remedy(err))
		}
	}
	if _, err := ClusterRuns(ctx, store, runs, GroupOptions{By: Options}); errors.Is(err, ErrIncomparable) {
		t.Errorf("a small group: %v", err)
	}
	stopped, stop := context.WithCancel(ctx)
	stop()
	if err := checkGroup(stopped, store, runs, Options, groupSize{3, options}); !errors.Is(err, context.Canceled) {
		t.Errorf("stopped: %v", err)
	}
}
