package web

import (
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
	silence        = time.Second     // after which a connection may have to give way
	farewell       = 2 * time.Second // for answers that are under way when the server is to end
)

// Serve answers on a listener until the context is done, which is no error.
func Serve(ctx context.Context, l net.Listener, o Options) error {
	if o.Patience == 0 {
		o.Patience = patience
	}
	server := &http.Server{
		Handler: noted(New(o)), ReadHeaderTimeout: o.Patience, IdleTimeout: idle, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connectionKey{}, c)
		},
	}
	ended := make(chan struct{})
	stop := context.AfterFunc(ctx, func() {
		defer close(ended)
		wait, cancel := context.WithTimeout(context.Background(), farewell)
		defer cancel()
		if server.Shutdown(wait) != nil {
			_ = server.Close()
		}
	})
	err := server.Serve(newBounded(ctx, l))
	if stop() { // nobody told it to end
		return err
	}
	<-ended
	return nil
}

// bounded accepts so many connections at once. Where there is no room, one that asks
// for nothing gives way, the longest silent first; others wait in the system's queue.
type bounded struct {
	net.Listener
	places chan struct{}
	ctx    context.Context // of the server
	mu     sync.Mutex
	open   map[*connection]bool
}

func newBounded(ctx context.Context, l net.Listener) *bounded {
	return &bounded{Listener: l, places: make(chan struct{}, maxConnections), ctx: ctx, open: map[*connection]bool{}}
}

func (b *bounded) Accept() (net.Conn, error) {
	for taken := false; !taken; {
		select {
		case b.places <- struct{}{}:
			taken = true
		case <-b.ctx.Done():
			return nil, net.ErrClosed
		case <-time.After(silence / 10):
			b.evict()
		}
	}
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

// evict closes the connection that has been silent longest, if one has for a while.
func (b *bounded) evict() {
	b.mu.Lock()
	var silent *connection
	for c := range b.open {
		if !c.asks && (silent == nil || c.since.Before(silent.since)) {
			silent = c
		}
	}
	if silent != nil && time.Since(silent.since) < silence {
		silent = nil
	}
	b.mu.Unlock()
	if silent != nil {
		_ = silent.Close()
	}
}

// connection gives its place back when it is closed, however often.
type connection struct {
	net.Conn
	of    *bounded
	since time.Time // of the last change of asks, both under of's lock
	asks  bool      // an answer is under way
	left  sync.Once
}

func (c *connection) Close() error {
	c.left.Do(func() {
		c.of.mu.Lock()
		delete(c.of.open, c)
		c.of.mu.Unlock()
		<-c.of.places
	})
	return c.Conn.Close()
}

func (c *connection) ask(asks bool) {
	c.of.mu.Lock()
	defer c.of.mu.Unlock()
	c.asks, c.since = asks, time.Now()
}

type connectionKey struct{}

// noted tells a request's connection that it asks, and that it was answered.
func noted(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if c, ok := r.Context().Value(connectionKey{}).(*connection); ok {
			c.ask(true)
			defer c.ask(false)
		}
		next.ServeHTTP(w, r)
	})
}
