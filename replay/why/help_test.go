package why

import (
	"context"
	"fmt"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// failer is the common part of a test and of one case of a property.
type failer interface {
	Helper()
	Fatal(args ...any)
}

var ok = schematest.Must

// small returns a spec of which an iteration takes about a millisecond.
func small(bits, hide int64) schema.Spec {
	s := pod.PaperSpec()
	s.Env.Params["bits"], s.Env.Params["hide"], s.Steps = bits, hide, 300
	return s
}

// specs returns both bases on both datasets, with and without hidden bits: half of all, in which any two of these meet.
func specs() map[string]schema.Spec {
	all := map[string]schema.Spec{}
	for _, basis := range []schema.Basis{schema.RightSingular, schema.RowsOfV} {
		for _, dataset := range []schema.Dataset{schema.PerIteration, schema.Cumulative} {
			for _, hide := range []int64{0, 2} {
				if (basis == schema.RightSingular) != (dataset == schema.PerIteration) != (hide == 0) {
					continue
				}
				s := small(8, hide)
				s.Basis, s.Dataset = basis, dataset
				all[fmt.Sprintf("%s, %s, hide %d", basis, dataset, hide)] = s
			}
		}
	}
	return all
}

// performed runs a spec in a new store.
func performed(t testing.TB, spec schema.Spec, target int) *recorded.Records {
	t.Helper()
	return performedIn(t, newStore(t), spec, target)
}

func newStore(t testing.TB) *tracker.Store {
	t.Helper()
	return tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), tracker.Options{})
}

func performedIn(t testing.TB, store *tracker.Store, spec schema.Spec, target int) *recorded.Records {
	t.Helper()
	ctx := context.Background()
	ok(t, store.Create(ctx))
	w := groupcommit.Start(ctx, store)
	var out replay.Outcome
	replay.NewEngine(store, w, replay.Options{}).Run(ctx, replay.Job{Spec: spec, Target: target},
		func(o replay.Outcome) { out = o })
	ok(t, w.Close(ctx))
	ok(t, out.Err)
	return opened(t, store)
}

// opened returns the newest run of a store.
func opened(t failer, store *tracker.Store) *recorded.Records {
	t.Helper()
	run, err := report.Open(context.Background(), store, "@1")
	ok(t, err)
	return run
}

// asked audits an option of a run.
func asked(t failer, run *recorded.Records, k, j, sign int) *Report {
	t.Helper()
	r, err := Explain(context.Background(), run, Question{Ref: report.Ref{K: k, J: j, Sign: sign}})
	ok(t, err)
	if !r.Verified() {
		t.Fatal(fmt.Sprintf("the chain of %s does not hold: %+v", r.Option, r.Chain))
	}
	return r
}

// selected returns the purposes of iteration k.
func selected(t failer, run *recorded.Records, k int) []schema.Purpose {
	t.Helper()
	_, purposes, err := run.Selection(k)
	ok(t, err)
	return purposes
}
