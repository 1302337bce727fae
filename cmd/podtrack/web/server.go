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
	farewell       = 2 * time.Second // for answers that are under way when the server is to end
)

// Serve answers on a listener until the context is done, which is no error.
func Serve(ctx context.Context, l net.Listener, o Options) error {
	if o.Patience == 0 {
		o.Patience = patience
	}
	server := &http.Server{
		Handler: New(o), ReadHeaderTimeout: o.Patience, IdleTimeout: idle, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return ctx },
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
	err := server.Serve(&bounded{Listener: l, places: make(chan struct{}, maxConnections), ctx: ctx})
	if stop() { // nobody told it to end
		return err
	}
	<-ended
	return nil
}

// bounded accepts so many connections at once; others wait in the system's queue.
type bounded struct {
	net.Listener
	places chan struct{}
	ctx    context.Context // of the server
}

func (b *bounded) Accept() (net.Conn, error) {
	select {
	case b.places <- struct{}{}:
	case <-b.ctx.Done():
		return nil, net.ErrClosed
	}
	c, err := b.Listener.Accept()
	if err != nil {
		<-b.places
		return nil, err
	}
	return &connection{Conn: c, leave: sync.OnceFunc(func() { <-b.places })}, nil
}

// connection gives its place back when it is closed, however often.
type connection struct {
	net.Conn
	leave func()
}

func (c *connection) Close() error {
	c.leave()
	return c.Conn.Close()
}
