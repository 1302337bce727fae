package api

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/webtest"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

var (
	ok          = schematest.Must
	small       = webtest.Small
	storeAt     = webtest.StoreAt
	perform     = webtest.Perform
	performJobs = webtest.PerformJobs
	filled      = webtest.Filled
	idOf        = webtest.IDOf
	askIn       = webtest.AskIn
	ask         = webtest.Ask
	wantFailure = webtest.WantFailure
)

// forked makes a run of the first k iterations of another, and goes on with it.
func forked(t testing.TB, store *tracker.Store, of schema.Digest, k int, gamma float64) schema.Digest {
	t.Helper()
	job := replay.Job{Fork: &tracker.Fork{Parent: of, K: k}, Target: k + 1}
	ok(t, store.View(t.Context(), func(tx *tracker.Tx) error {
		parent, err := tx.ReadRun(of)
		ok(t, err)
		before, err := tx.ReadIteration(of, k-1)
		ok(t, err)
		job.Spec, job.Start = parent.Spec, &before.Link
		job.Spec.Gamma = gamma
		return nil
	}))
	performJobs(t, store, []replay.Job{job})
	id, err := job.ID()
	ok(t, err)
	return id
}

// optionsFor returns the options of an API of a store.
func optionsFor(store *tracker.Store) Options { return Options{Store: store} }
