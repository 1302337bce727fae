package web

import (
	"context"
	"io"
	"net"
	"net/http"
	"testing"
	"testing/synctest"
	"time"
)

// connected is a listener that has one client.
type connected chan net.Conn

func (c connected) Accept() (net.Conn, error) {
	if conn, ok := <-c; ok {
		return conn, nil
	}
	return nil, net.ErrClosed
}
func (c connected) Close() error   { return nil }
func (c connected) Addr() net.Addr { return &net.TCPAddr{} }

// TestSlowClient: a client that reads on, slowly, gets all of an answer, and one that
// reads nothing for the timeout is left.
func TestSlowClient(t *testing.T) {
	const timeout = time.Minute
	for name, c := range map[string]struct {
		wait  time.Duration // before each part
		whole bool
	}{
		"reads on":        {timeout * 3 / 4, true},
		"waits too long":  {timeout * 5 / 4, false},
		"reads as it can": {0, true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				client, served := net.Pipe()
				one := make(connected, 1)
				one <- served
				server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
					sender{timeout}.Send(w, http.StatusOK, reply{Kind: "text/plain", Body: make([]byte, 5*partBytes)})
				})}
				ended := make(chan error)
				go func() { ended <- server.Serve(one) }()
				dial := func(context.Context, string, string) (net.Conn, error) { return client, nil }
				web := http.Client{Transport: &http.Transport{DialContext: dial}}
				answer, err := web.Get("http://localhost/")
				if err != nil {
					t.Fatal(err)
				}
				read := int64(0)
				for err == nil {
					time.Sleep(c.wait)
					var n int64
					n, err = io.CopyN(io.Discard, answer.Body, partBytes)
					read += n
				}
				if whole := read == 5*partBytes && err == io.EOF; whole != c.whole {
					t.Errorf("read %d bytes of %d, then %v", read, 5*partBytes, err)
				}
				web.CloseIdleConnections()
				close(one)
				_ = server.Close()
				<-ended
			})
		})
	}
}
