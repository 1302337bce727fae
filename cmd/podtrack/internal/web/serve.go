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
	otherFiles     = 48 // open files beside connections, such as stores
	leastConnected = 8
	farewell       = 2 * time.Second // for answers still under way when the server shuts down
)

// Serve answers requests on a listener until the context is done, and then returns nil.
func Serve(ctx context.Context, l net.Listener, o Options) error {
	o.Timeout = cmp.Or(o.Timeout, defaultTimeout)
	c := connections{most: connectionsFor(fileLimit()), silent: map[net.Conn]time.Time{}}
	server := &http.Server{
		Handler: c.follow(newSite(o)), ReadHeaderTimeout: o.Timeout, IdleTimeout: idle, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return ctx },
		ConnContext: func(ctx context.Context, conn net.Conn) context.Context {
			return context.WithValue(ctx, connectionKey{}, conn)
		},
		ConnState: c.hear,
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
	err := server.Serve(l)
	if stop() { // it failed before the context was done
		return err
	}
	<-ended
	return nil
}

// connectionsFor returns how many connections may be open, given the limit of open
// files.
func connectionsFor(files uint64) int {
	return int(min(max(files, otherFiles+leastConnected)-otherFiles, maxConnections))
}

// connections are those that are open, of which there is a bound. For one more, that which has been silent for longest
// is closed, so that new clients are let in; one for which an answer is under way stays.
type connections struct {
	most   int
	mu     sync.Mutex
	silent map[net.Conn]time.Time // since when, the zero time for an answer under way
}

// hear notes that a connection was opened or closed, and closes the one that has been silent for longest if there are
// too many. The server calls it for each change.
func (c *connections) hear(conn net.Conn, state http.ConnState) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch state {
	case http.StateNew:
		c.silent[conn] = time.Now()
	case http.StateClosed, http.StateHijacked:
		delete(c.silent, conn)
	}
	if len(c.silent) <= c.most {
		return
	}
	first := conn
	for other, since := range c.silent {
		if !since.IsZero() && since.Before(c.silent[first]) {
			first = other
		}
	}
	delete(c.silent, first)
	_ = first.Close()
}

// connectionKey is the context key of a request's connection.
type connectionKey struct{}

// follow notes for which connections answers are under way. If no other client can connect, a connection ends after one
// answer, so that requests sent ahead (pipelining) do not keep others out.
func (c *connections) follow(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, _ := r.Context().Value(connectionKey{}).(net.Conn)
		note := func(since time.Time) (full bool) {
			c.mu.Lock()
			defer c.mu.Unlock()
			if _, open := c.silent[conn]; open {
				c.silent[conn] = since
			}
			return len(c.silent) >= c.most
		}
		if note(time.Time{}) {
			w.Header().Set("Connection", "close")
		}
		defer func() { note(time.Now()) }()
		next.ServeHTTP(w, r)
	})
}
