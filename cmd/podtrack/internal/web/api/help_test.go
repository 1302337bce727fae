package api

import (
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/webtest"
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

// optionsFor returns the options of an API of a store.
func optionsFor(store *tracker.Store) Options { return Options{Store: store} }
