package api

import (
	"cmp"
	"context"
	"crypto/rand"
	"net/url"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/watch"
	"github.com/podtrack/podtrack/tracker"
)

// Options are the settings of the API.
type Options struct {
	Store *tracker.Store

	Draw func(context.Context, Drawing) ([]byte, error) // returns what podtrack plot writes; nil for no figures

	Glossary any // the document of /api/glossary, nil for none

	Timeout time.Duration // how long a client may take to send a request or to read each MiB of an answer; 0 means 30 s
}

// Drawing is a request for a figure, in the terms of podtrack plot.
type Drawing struct {
	Figure string
	Of     []string   // the arguments
	Flags  url.Values // by name without dashes, including format; each has at most one value

	Readouts bool // an SVG says what is drawn where
}

// DefaultTimeout is the default of APIOptions.Timeout.
const DefaultTimeout = 30 * time.Second

// server is the state that all requests share.
type server struct {
	Options
	reply.Sender
	instanceID string // an identifier of this instance, part of all tags
	light      semaphore
	heavy      semaphore
	drawings   semaphore
	streams    semaphore
	lists      *lists
	answers    *answerCache
	watcher    *watch.Watcher
	limits     limits
}

// newServer returns a server with defaults filled in.
func newServer(o Options) *server {
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	return &server{
		Options: o, Sender: reply.Sender{Timeout: o.Timeout}, instanceID: newInstanceID(),
		light: newSemaphore(maxLight, lightTurn), heavy: newSemaphore(maxHeavy, heavyTurn),
		drawings: newSemaphore(maxDrawings, heavyTurn), streams: newSemaphore(maxStreams, 0),
		lists: newLists(), answers: newAnswerCache(),
		watcher: watch.NewWatcher(o.Store, describeRows), limits: standardLimits,
	}
}

// newInstanceID returns an identifier that no other server process has.
func newInstanceID() string { return rand.Text() }
