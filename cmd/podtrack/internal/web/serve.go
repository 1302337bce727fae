package web

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"sync"
	"time"
)

const (
	idle           = time.Minute // how long a connection may be open between requests
	maxHeader      = 16 << 10    // bytes
	maxConnections = 256
	silence        = time.Second / 2 // how long a connection must be silent before it may be closed for another
	otherFiles     = 48              // open files beside connections, such as stores
	leastConnected = 8
	farewell       = 2 * time.Second // for answers still under way when the server shuts down
)

// Serve answers requests on a listener until the context is done, and then returns nil.
func Serve(ctx context.Context, l net.Listener, o Options) error {
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	server := &http.Server{
		Handler: trackRequests(newSite(o)), ReadHeaderTimeout: o.Timeout, IdleTimeout: idle, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connectionKey{}, c)
		},
	}
	connections := newBoundedListener(ctx, l)
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		connections.closeSilent(0)
		wait, cancel := context.WithTimeout(context.Background(), farewell)
		defer cancel()
		if server.Shutdown(wait) != nil {
			_ = server.Close()
		}
	})
	err := server.Serve(connections)
	if stop() { // it failed before the context was done
		return err
	}
	<-ended
	return nil
}

// boundedListener is a listener with a bound on open connections. If all places are
// taken, it closes connections that have been silent for a while, so that new clients
// do not wait long in the system's queue.
type boundedListener struct {
	net.Listener
	places chan struct{}
	ctx    context.Context // the server's
	mu     sync.Mutex
	open   map[*connection]bool
}

// newBoundedListener returns a listener with as many places as the limit of open files
// allows.
func newBoundedListener(ctx context.Context, l net.Listener) *boundedListener {
	return &boundedListener{Listener: l, places: make(chan struct{}, connectionsFor(fileLimit())), ctx: ctx,
		open: map[*connection]bool{}}
}

// connectionsFor returns how many connections may be open, given the limit of open
// files.
func connectionsFor(files uint64) int {
	return int(min(max(files, otherFiles+leastConnected)-otherFiles, maxConnections))
}

// Accept returns the next connection, once there is a place for it.
func (b *boundedListener) Accept() (net.Conn, error) {
	for {
		select {
		case b.places <- struct{}{}:
			return b.accept()
		case <-b.ctx.Done():
			return nil, net.ErrClosed
		case <-time.After(b.closeSilent(silence)):
		}
	}
}

// accept takes the next connection. The caller has taken a place for it.
func (b *boundedListener) accept() (net.Conn, error) {
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.places
		return nil, err
	}
	accepted := &connection{Conn: c, of: b, since: time.Now()}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open[accepted] = true
	return accepted, nil
}

// closeSilent closes the connections without a request for that long, and returns when
// to look next.
func (b *boundedListener) closeSilent(long time.Duration) (next time.Duration) {
	next = silence
	var silent []*connection
	b.mu.Lock()
	for c := range b.open {
		left := long - time.Since(c.since)
		switch {
		case c.asks:
		case left <= 0:
			silent = append(silent, c)
		default:
			next = min(next, left)
		}
	}
	b.mu.Unlock()
	for _, c := range silent {
		_ = c.Close()
	}
	return next
}

// connection is an accepted connection, which gives its place back when it is first
// closed.
type connection struct {
	net.Conn
	of    *boundedListener
	since time.Time // of the last change of asks, both under of's lock
	asks  bool      // an answer is under way
	left  sync.Once
}

// Close closes the connection and gives its place back.
func (c *connection) Close() error {
	c.left.Do(func() {
		c.of.mu.Lock()
		delete(c.of.open, c)
		c.of.mu.Unlock()
		<-c.of.places
	})
	return c.Conn.Close()
}

// ask notes whether the connection has a request under way.
func (c *connection) ask(asks bool) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.asks, c.since = asks, time.Now()
}

// connectionKey is the context key of a request's connection.
type connectionKey struct{}

// full reports whether all places are taken.
func (b *boundedListener) full() bool { return len(b.places) == cap(b.places) }

// trackRequests tells a request's connection when the request begins and ends. If no
// other client can connect, it closes the connection after one answer, so that requests
// sent ahead (pipelining) do not keep others out.
func trackRequests(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connectionKey{}).(*connection); ok {
			c.ask(true)
			defer c.ask(false)
			if c.of.full() {
				w.Header().Set("Connection", "close")
			}
		}
		next.ServeHTTP(w, r)
	})
}
