package api

import (
	"cmp"
	"container/list"
	"context"
	"crypto/rand"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/watch"
	"github.com/podtrack/podtrack/tracker"
)

// Options are the settings of the API.
type Options struct {
	Store *tracker.Store

	// Draw returns what podtrack plot writes of a request, whose kind has a name alone; nil for no figures.
	Draw func(context.Context, figure.Request) ([]byte, error)

	Glossary any // the document of /api/glossary, nil for none

	Timeout time.Duration // how long a client may take to send a request or to read each MiB of an answer; 0 means 30 s
}

// DefaultTimeout is the default of APIOptions.Timeout.
const DefaultTimeout = 30 * time.Second

// server is the state that all requests share.
type server struct {
	Options
	reply.Sender
	instanceID string // an identifier that no other server process has, part of all tags
	light      places
	heavy      places
	drawings   places
	streams    places
	lists      *lists
	answers    *answerCache
	watcher    *watch.Watcher
	limits     limits
}

// newServer returns a server with defaults filled in.
func newServer(o Options) *server {
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	return &server{
		Options: o, Sender: reply.Sender{Timeout: o.Timeout}, instanceID: rand.Text(),
		light: newPlaces(maxLight, lightTurn), heavy: newPlaces(maxHeavy, heavyTurn),
		drawings: newPlaces(maxDrawings, heavyTurn), streams: newPlaces(maxStreams, 0),
		lists: newLists(), answers: &answerCache{places: map[string]*list.Element{}},
		watcher: watch.NewWatcher(o.Store, describeRow), limits: standardLimits,
	}
}
