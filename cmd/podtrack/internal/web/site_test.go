package web

import (
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/api"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/webtest"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

func TestMain(m *testing.M) { schematest.Main(m) }

var (
	ok          = schematest.Must
	storeAt     = webtest.StoreAt
	filled      = webtest.Filled
	ask         = webtest.Ask
	wantFailure = webtest.WantFailure
)

// local returns the options of a server for this machine alone.
func local(store *tracker.Store) Options {
	return Options{Options: api.Options{Store: store}, Addr: "127.0.0.1:8080"}
}
