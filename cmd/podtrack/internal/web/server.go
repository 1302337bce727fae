package web

import (
	"context"
	"crypto/rand"
	"net/url"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/tracker"
)

// Options are the settings of a server.
type Options struct {
	Store *tracker.Store
	Addr  string // HOST:PORT that the server listens on
	Token string // the token that a client must know, "" for none

	Draw func(context.Context, Drawing) ([]byte, error) // returns what podtrack plot writes; nil for no figures

	Glossary any // the document of /api/glossary, nil for none

	Timeout time.Duration // how long a client may take to send a request or to read an answer; 0 means 30 s
}

// Drawing is a request for a figure, in the terms of podtrack plot.
type Drawing struct {
	Figure string
	Of     []string   // the arguments
	Flags  url.Values // by name without dashes, including format; each has at most one value

	Readouts bool // an SVG says what is drawn where
}

// defaultTimeout is the default of Options.Timeout.
const defaultTimeout = 30 * time.Second

// server is the state that all requests share.
type server struct {
	Options
	instanceID string   // an identifier of this instance, part of all tags
	door       door     // where it lets in who knows the token
	hosts      []string // host:port names of this machine, beside loopback's
	light      semaphore
	heavy      semaphore
	drawings   semaphore
	streams    semaphore
	lists      *lists
	walks      *walkCache
	laneCache  *laneCache
	answers    *answerCache
	watcher    *watcher
	page       map[string]answer
	limits     limits

	pending sweep.PendingParts // runs of a sweep that are not in the store yet
}

// newServer returns a server with defaults filled in.
func newServer(o Options) *server {
	if o.Timeout == 0 {
		o.Timeout = defaultTimeout
	}
	door := newDoor(o.Token)
	return &server{
		Options: o, instanceID: newInstanceID(), door: door, hosts: hostsOf(o.Addr),
		light: newSemaphore(maxLight, lightTurn), heavy: newSemaphore(maxHeavy, heavyTurn),
		drawings: newSemaphore(maxDrawings, heavyTurn), streams: newSemaphore(maxStreams, 0),
		lists: newLists(), walks: newWalkCache(o.Store), laneCache: newLaneCache(), answers: newAnswerCache(),
		watcher: newWatcher(o.Store), page: page(door.path),
		limits: standardLimits,
	}
}

// newInstanceID returns an identifier that no other server process has.
func newInstanceID() string { return rand.Text() }
