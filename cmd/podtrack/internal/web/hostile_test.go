package web

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/api"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

// hasty is how long a server waits for clients that a test has be slow.
const hasty = 100 * time.Millisecond

// served returns the address of a server of some patience, which is up until the test
// ends.
func served(t *testing.T, store *tracker.Store, patience time.Duration) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	go func() {
		ended <- Serve(ctx, l, Options{Addr: l.Addr().String(),
			Options: api.Options{Store: store, Timeout: patience}})
	}()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return l.Addr().String()
}

// stillServes asks for something harmless. On a busy machine a server without patience may take even a client that
// hurries for a slow one: it is asked again.
func stillServes(t *testing.T, addr string) {
	t.Helper()
	r, err := http.Get("http://" + addr + "/api/runs")
	for tries := 1; err != nil && tries < 20; tries++ {
		r, err = http.Get("http://" + addr + "/api/runs")
	}
	ok(t, err)
	defer r.Body.Close()
	if r.StatusCode != 200 {
		t.Errorf("afterwards: status %d", r.StatusCode)
	}
}

// TestStrangeBytes sends what is hardly a request, and waits for the server to be
// done with it.
func TestStrangeBytes(t *testing.T) {
	addr := served(t, filled(t), hasty)
	for name, sent := range map[string]string{
		"nothing":          "",
		"half a line":      "GET /api/ver",
		"half the headers": "GET /api/version HTTP/1.1\r\nHost: " + addr + "\r\nX-Y: ",
		"no request":       "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
		"100 kB of URL":    "GET /api/runs?q=" + strings.Repeat("x", 100_000) + " HTTP/1.1\r\nHost: " + addr + "\r\n\r\n",
		"100 kB of header": "GET /api/runs HTTP/1.1\r\nHost: " + addr + "\r\nX-Y: " + strings.Repeat("x",
			100_000) + "\r\n\r\n",
		"NUL":       "GET /api/runs/\x00 HTTP/1.1\r\nHost: " + addr + "\r\n\r\n",
		"two hosts": "GET /api/version HTTP/1.1\r\nHost: " + addr + "\r\nHost: attacker.example\r\n\r\n",
		"another's URL": "GET http://attacker.example/api/version HTTP/1.1\r\nHost: " + addr +
			"\r\nConnection: close\r\n\r\n",
		"a tunnel": "CONNECT attacker.example:443 HTTP/1.1\r\nHost: " + addr + "\r\nConnection: close\r\n\r\n",
		"an endless body": "POST /api/version HTTP/1.1\r\nHost: " + addr +
			"\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
		"HTTP/1.0": "GET /api/version HTTP/1.0\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			c, err := net.Dial("tcp", addr)
			ok(t, err)
			defer c.Close()
			_, _ = io.WriteString(c, sent) // the server may have closed it already
			got, _ := io.ReadAll(c)        // until it does
			if line, _, _ := strings.Cut(string(got), "\r\n"); len(got) > 0 && !strings.Contains(line, " 4") {
				t.Errorf("answered with %s", line)
			}
		})
	}
	stillServes(t, addr)
}

// TestSlowReader asks on and on and reads nothing, until the server has had enough.
func TestSlowReader(t *testing.T) {
	store := filled(t)
	addr := served(t, store, hasty)
	c, err := net.Dial("tcp", addr)
	ok(t, err)
	defer c.Close()
	request := "GET /api/runs/@1 HTTP/1.1\r\nHost: " + addr + "\r\n\r\n"
	for err == nil {
		_, err = io.WriteString(c, request)
	}
	stillServes(t, addr)
}

// TestHalfOpen opens more connections than there may be, each with half a request, and
// patience without end: only those that give way let others in.
func TestHalfOpen(t *testing.T) {
	schematest.NeedsOpenFiles(t, 2*maxConnections+200)
	addr := served(t, filled(t), time.Hour)
	for range maxConnections + 50 {
		c, err := net.Dial("tcp", addr)
		ok(t, err)
		defer c.Close()
		_, _ = io.WriteString(c, "GET /api/version HTTP/1.1\r\nHost: ")
	}
	stillServes(t, addr)
}

// TestPipelined: connections that each ask hundreds of times ahead and read nothing
// keep no other client out.
func TestPipelined(t *testing.T) {
	schematest.NeedsOpenFiles(t, 2*maxConnections+200)
	addr := served(t, filled(t), hasty)
	ahead := strings.Repeat("GET /api/runs/@1 HTTP/1.1\r\nHost: "+addr+"\r\n\r\n", schematest.Size(40, 200))
	for range maxConnections + 50 {
		c, err := net.Dial("tcp", addr)
		ok(t, err)
		defer c.Close()
		ok(t, c.SetWriteDeadline(time.Now().Add(hasty)))
		_, _ = io.WriteString(c, ahead) // as far as the server takes it
	}
	stillServes(t, addr)
}

// TestGiveWay checks that all connections that have been silent for long give way at
// once, that those which ask stay, and that the others are looked at in time.
func TestGiveWay(t *testing.T) {
	b := newBoundedListener(t.Context(), nil)
	for i := range 100 {
		ours, theirs := net.Pipe()
		defer theirs.Close()
		b.places <- struct{}{}
		since := time.Now()
		if i%2 == 0 {
			since = since.Add(-time.Hour)
		}
		b.open[&connection{Conn: ours, of: b, since: since, asks: i%5 == 0}] = true
	}
	if again := b.closeSilent(time.Minute); again <= 0 || again > silence || len(b.open) != 60 || len(b.places) != 60 {
		t.Errorf("%d connections are left on %d places; the next look is in %v", len(b.open), len(b.places), again)
	}
	if b.closeSilent(0); len(b.open) != 20 {
		t.Errorf("%d connections are left, and 20 ask", len(b.open))
	}
	for files, want := range map[uint64]int{16: 8, 64: 16, 256: 208, 1024: maxConnections, 1 << 63: maxConnections} {
		if got := connectionsFor(files); got != want {
			t.Errorf("%d connections with %d files, want %d", got, files, want)
		}
	}
}

// TestManyAtOnce asks many times at once. Each is answered, or told to ask again, also
// by the end of a connection whose request was not read in time.
func TestManyAtOnce(t *testing.T) {
	many := schematest.Size(100, 300)
	schematest.NeedsOpenFiles(t, 2*uint64(many)+50)
	addr := served(t, filled(t), time.Minute)
	targets := []string{"/api/runs", "/api/runs/@1", "/api/runs/@2/exploration", "/api/fields",
		"/api/runs/@1/iterations/1/options/1+/why", "/", "/api/runs/nope", "/api/diff?a=@1&b=@2"}
	var done sync.WaitGroup
	for i := range many {
		done.Go(func() {
			client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
			r, err := client.Get("http://" + addr + targets[i%len(targets)])
			for again := 0; again < 100 && (errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET)); again++ {
				r, err = client.Get("http://" + addr + targets[i%len(targets)])
			}
			if err != nil {
				t.Error(err)
				return
			}
			_, err = io.Copy(io.Discard, r.Body)
			r.Body.Close()
			if code := r.StatusCode; code != 200 && code != 503 && code != 404 || err != nil {
				t.Errorf("%s: status %d, %v", targets[i%len(targets)], code, err)
			}
		})
	}
	done.Wait()
	stillServes(t, addr)
}

// FuzzRequest sends an address with a host and an origin that may be foreign.
func FuzzRequest(f *testing.F) {
	o := local(filled(f))
	o.Draw = func(_ context.Context, q figure.Request) ([]byte, error) { return fmt.Append(nil, q), nil }
	h := newSite(o)
	for _, target := range []string{
		"/", "/api/version", "/api/runs?q=seed%3D0-1&sort=-seed&offset=1&limit=2", "/api/runs?q=@1", "/api/fields?q=tag%3D*",
		"/api/runs/@1", "/api/runs/@1/options", "/api/runs/@1/exploration",
		"/api/runs/@1/iterations/1/options/1+", "/api/runs/@3/iterations/2/options/2%2B/why",
		"/api/diff?a=@1&b=@2", "/api/diff?a=@1:0/1%2B&b=@2:1/1-",
		"/api/group?q=bits%3D7", "/api/compare?a=seed%3D0&b=seed%3D1-2&paired=seed&measure=all",
		"/api/compare?group=seed%3D0&group=seed%3D1&group=seed%3D2", "/api/compare?q=bits%3D7&by=seed&baseline=1",
		"/api/measures?q=@1&by=run",
		"/api/figure/walk?of=@1&of=@2:1&theme=dark&format=png", "/api/figure/option?of=@1:1/1%2B&width=3in",
		"/api/figure/x?of=-o&no-title=1", "/run/x", "/assets/x.js",
		"/api/runs/..%2f..%2f..%2fetc%2fpasswd", "/api/runs/%00", "/api/runs/%ff/options", "/../../etc/passwd",
		"//attacker.example", "/api/runs//options", "/%2e%2e/%2e%2e", "/api/runs?q=a;b", "/api/runs?limit=1e9&limit=2", "*",
	} {
		f.Add(target, "127.0.0.1:8080", "")
	}
	f.Add("/api/version", "attacker.example", "")
	f.Add("/api/version", "localhost:8080", "http://attacker.example")
	f.Fuzz(func(t *testing.T, target, host, origin string) {
		text := "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nOrigin: " + origin + "\r\n\r\n"
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
		if err != nil || strings.HasPrefix(r.URL.Path, "/api/events") {
			t.Skip("no request, or one that has no end")
		}
		w := ask(h, r.RequestURI, func(asked *http.Request) { *asked = *r })
		if w.Code >= 500 && w.Code != 503 {
			t.Errorf("status %d: %s", w.Code, w.Body)
		}
		if w.Header().Get("Content-Security-Policy") != contentPolicy {
			t.Error("an answer without the policy")
		}
		if origin := r.Header.Get("Origin"); w.Code == 200 && origin != "" && !strings.HasSuffix(origin, "://"+r.Host) {
			t.Errorf("answered to origin %q of host %q", origin, r.Host)
		}
		if w.Code >= 400 {
			wantFailure(t, w, w.Code)
		} else if w.Header().Get("Content-Type") == reply.JSONKind && !json.Valid(w.Body.Bytes()) {
			t.Errorf("no JSON: %.200s", w.Body)
		}
		if size := w.Body.Len(); size > 1<<20 {
			t.Errorf("%d bytes of three small runs", size)
		}
	})
}

// TestHeadLimit: a request's line and headers of 16 KiB, and the 4 KiB that net/http adds for its own reading, are
// answered, and a byte more is refused.
func TestHeadLimit(t *testing.T) {
	addr := served(t, filled(t), 0)
	for size, status := range map[int]int{20 << 10: http.StatusOK, 20<<10 + 1: http.StatusRequestHeaderFieldsTooLarge} {
		c, err := net.Dial("tcp", addr)
		ok(t, err)
		line, end := "GET /api/version HTTP/1.1\r\nHost: "+addr+"\r\nX: ", "\r\n\r\n"
		_, err = io.WriteString(c, line+strings.Repeat("a", size-len(line)-len(end))+end)
		ok(t, err)
		answer, err := http.ReadResponse(bufio.NewReader(c), nil)
		ok(t, err)
		if answer.StatusCode != status {
			t.Errorf("a head of %d bytes: status %d, want %d", size, answer.StatusCode, status)
		}
		ok(t, c.Close())
	}
}
