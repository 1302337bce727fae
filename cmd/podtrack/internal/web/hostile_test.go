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
	"net/url"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
)

// hasty is how long a server waits for clients that a test has be slow.
const hasty = 100 * time.Millisecond

// startServer returns the address of a server of some patience, which is up until the test ends.
func startServer(t *testing.T, store *tracker.Store, patience time.Duration) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error)
	o := local(store)
	o.Addr, o.Timeout = l.Addr().String(), patience
	go func() { ended <- Serve(ctx, l, o) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return l.Addr().String()
}

// needsOpenFiles skips the test if a process cannot have n files open.
func needsOpenFiles(t *testing.T, n uint64) {
	t.Helper()
	if limit := fileLimit(); limit < n {
		schematest.SkipLacking(t, "a process can have %d files open, not %d", limit, n)
	}
}

// stillServes asks for something harmless. On a busy machine a server without patience may take even a client that
// hurries for a slow one: it is asked again.
func stillServes(t *testing.T, addr string) {
	t.Helper()
	r, err := http.Get("http://" + addr + "/ls?json=true")
	for tries := 1; err != nil && tries < 20; tries++ {
		r, err = http.Get("http://" + addr + "/ls?json=true")
	}
	ok(t, err)
	defer r.Body.Close()
	if r.StatusCode != 200 {
		t.Errorf("afterwards: status %d", r.StatusCode)
	}
}

// TestStrangeBytes sends what is hardly a request, and waits for the server to be done with it.
func TestStrangeBytes(t *testing.T) {
	addr := startServer(t, filled(t), hasty)
	for name, sent := range map[string]string{
		"nothing":          "",
		"half a line":      "GET /scr",
		"half the headers": "GET /script.js HTTP/1.1\r\nHost: " + addr + "\r\nX-Y: ",
		"no request":       "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n",
		"100 kB of URL":    "GET /ls?q=" + strings.Repeat("x", 100_000) + " HTTP/1.1\r\nHost: " + addr + "\r\n\r\n",
		"100 kB of header": "GET /ls HTTP/1.1\r\nHost: " + addr + "\r\nX-Y: " + strings.Repeat("x", 100_000) + "\r\n\r\n",
		"NUL":              "GET /show?of=\x00 HTTP/1.1\r\nHost: " + addr + "\r\n\r\n",
		"two hosts":        "GET /script.js HTTP/1.1\r\nHost: " + addr + "\r\nHost: attacker.example\r\n\r\n",
		"another's URL": "GET http://attacker.example/script.js HTTP/1.1\r\nHost: " + addr +
			"\r\nConnection: close\r\n\r\n",
		"a tunnel": "CONNECT attacker.example:443 HTTP/1.1\r\nHost: " + addr + "\r\nConnection: close\r\n\r\n",
		"an endless body": "POST /label HTTP/1.1\r\nHost: " + addr +
			"\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n",
		"HTTP/1.0": "GET /script.js HTTP/1.0\r\n\r\n",
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
	addr := startServer(t, filled(t), hasty)
	c, err := net.Dial("tcp", addr)
	ok(t, err)
	defer c.Close()
	request := "GET /idiomorph.js HTTP/1.1\r\nHost: " + addr + "\r\n\r\n"
	for err == nil {
		_, err = io.WriteString(c, request)
	}
	stillServes(t, addr)
}

// TestHalfOpen opens more connections than there may be, each with half a request, and patience without end: only
// those that give way let others in.
func TestHalfOpen(t *testing.T) {
	needsOpenFiles(t, 2*maxConnections+200)
	addr := startServer(t, filled(t), time.Hour)
	for range maxConnections + 50 {
		c, err := net.Dial("tcp", addr)
		ok(t, err)
		defer c.Close()
		_, _ = io.WriteString(c, "GET /script.js HTTP/1.1\r\nHost: ")
	}
	stillServes(t, addr)
}

// TestPipelined: connections that each ask hundreds of times ahead and read nothing keep no other client out.
func TestPipelined(t *testing.T) {
	needsOpenFiles(t, 2*maxConnections+200)
	addr := startServer(t, filled(t), hasty)
	ahead := strings.Repeat("GET /idiomorph.js HTTP/1.1\r\nHost: "+addr+"\r\n\r\n", schematest.Size(40, 200))
	for range maxConnections + 50 {
		c, err := net.Dial("tcp", addr)
		ok(t, err)
		defer c.Close()
		ok(t, c.SetWriteDeadline(time.Now().Add(hasty)))
		_, _ = io.WriteString(c, ahead) // as far as the server takes it
	}
	stillServes(t, addr)
}

// TestGiveWay: of more connections than there may be, those that have been silent for longest give way, those for which
// an answer is under way stay, and if there are no others, the newest goes.
func TestGiveWay(t *testing.T) {
	const most = 10
	c := connections{most: most, silent: map[net.Conn]time.Time{}}
	var all []net.Conn
	closed := func(conn net.Conn) bool {
		return conn.SetReadDeadline(time.Now()) != nil
	}
	open := func() {
		ours, theirs := net.Pipe()
		t.Cleanup(func() { theirs.Close() })
		all = append(all, ours)
		c.hear(ours, http.StateNew)
	}
	for range most {
		open()
	}
	now := time.Now()
	for i, conn := range all {
		c.silent[conn] = now.Add(time.Duration(i-most) * time.Minute)
		if i%2 == 0 {
			c.silent[conn] = time.Time{} // an answer is under way
		}
	}
	for range most / 2 {
		open()
	}
	for i, conn := range all {
		if want := i < most && i%2 == 1; closed(conn) != want {
			t.Errorf("connection %d: closed is %t", i, !want)
		}
	}
	for conn := range c.silent {
		c.silent[conn] = time.Time{}
	}
	open()
	if last := all[len(all)-1]; !closed(last) || len(c.silent) != most {
		t.Errorf("all are asking, and %d are left of %d", len(c.silent), most)
	}
	for files, want := range map[uint64]int{16: 8, 64: 16, 256: 208, 1024: maxConnections, 1 << 63: maxConnections} {
		if got := connectionsFor(files); got != want {
			t.Errorf("%d connections with %d files, want %d", got, files, want)
		}
	}
}

// TestManyAtOnce asks many times at once. Each is answered, or told to ask again, also by the end of a connection whose
// request was not read in time.
func TestManyAtOnce(t *testing.T) {
	many := schematest.Size(100, 300)
	needsOpenFiles(t, 2*uint64(many)+50)
	addr := startServer(t, filled(t), time.Minute)
	targets := []string{"/", "/show?of=@1", "/show?of=@2&exploration=true&json=true", "/status", "/script.js",
		"/show?of=nope", "/diff?of=@1&of=@2", "/plot-walk?of=@1&format=svg"}
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

// FuzzRequest sends an address with a host and an origin that may be foreign. What is answered are the words that a
// command would be given: their number of flags and the form of each are the server's.
func FuzzRequest(f *testing.F) {
	h := newSite(local(filled(f)))
	for _, target := range []string{
		"/", "/ls?q=seed%3D0-1&sort=-seed&limit=2&json=true", "/ls?q=@1&json=true", "/ls?of=tag%3D*&columns=a,b&json=true",
		"/show?of=@1&json=true", "/show?of=@1", "/show?of=@1&exploration=true&json=true", "/status?json=true",
		"/diff?of=@1&of=@2&json=true", "/diff?group=true&of=bits%3D7&json=true",
		"/compare?of=seed%3D0&of=seed%3D1-2&json=true",
		"/compare?of=bits%3D7&by=seed&measure=all&json=true", "/plot-walk?of=@1&of=@2:1&theme=dark&format=png",
		"/plot-walk?of=-o&o=x", "/show?of=--store%3D/etc/passwd&json=true", "/show?of=%00", "/show?of=%ff&json=true",
		"/show?store=x", "/show?of=@1&spec=a%0ab&json=true", "/ls?chosen=@1&chosen=x", "/../../etc/passwd", "/enter?page=x",
		"//attacker.example", "/show//options", "/%2e%2e/%2e%2e", "/ls?q=a;b", "/ls?limit=1e9&limit=2", "*",
		"/plot", "/rm?of=@1",
		"/ls?format=csv&file=true", "/show?format=html&file=true&of=@1",
	} {
		f.Add(target, "127.0.0.1:8080", "")
	}
	f.Add("/status", "attacker.example", "")
	f.Add("/status", "localhost:8080", "http://attacker.example")
	f.Fuzz(func(t *testing.T, target, host, origin string) {
		text := "GET " + target + " HTTP/1.1\r\nHost: " + host + "\r\nOrigin: " + origin + "\r\n\r\n"
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(text)))
		if err != nil || strings.HasPrefix(r.URL.Path, "/events") {
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
		switch {
		case w.Code >= 400:
			wantFailure(t, w, w.Code)
		case w.Code == 200 && w.Header().Get("Content-Type") == jsonKind:
			var words []string
			ok(t, json.Unmarshal(w.Body.Bytes(), &words))
			checkWords(t, words)
		}
		if size := w.Body.Len(); size > 1<<20 {
			t.Errorf("%d bytes of words", size)
		}
	})
}

// checkWords fails the test unless every word in front of -- is the command, or a flag that pages may give.
func checkWords(t *testing.T, words []string) {
	t.Helper()
	at := 1
	for at < len(words) && !strings.HasPrefix(words[at], "-") {
		at++
	}
	name := strings.Join(words[1:at], " ")
	for _, page := range servedCommands() {
		if page.Name != name {
			continue
		}
		allowed := map[string]bool{"store": true, "json": true, "format": true}
		for _, flag := range page.Served {
			allowed[flag] = true
		}
		stores := 0
		for _, word := range words[at:] {
			if word == "--" {
				if stores != 1 {
					t.Errorf("%d stores: %q", stores, words)
				}
				return
			}
			flag, value, _ := strings.Cut(strings.TrimPrefix(word, "--"), "=")
			if !strings.HasPrefix(word, "--") || !allowed[flag] {
				t.Errorf("%q is given to %s: %q", word, name, words)
			}
			if flag == "store" {
				stores++
				if !strings.HasSuffix(value, "podtrack.db") {
					t.Errorf("the store is %s", value)
				}
			}
		}
	}
	t.Errorf("no command with flags and arguments: %q", words)
}

// TestHeadLimit: a request's line and headers of 16 KiB, and the 4 KiB that net/http adds for its own reading, are
// answered, and a byte more is refused.
func TestHeadLimit(t *testing.T) {
	addr := startServer(t, filled(t), 0)
	for size, status := range map[int]int{20 << 10: http.StatusOK, 20<<10 + 1: http.StatusRequestHeaderFieldsTooLarge} {
		c, err := net.Dial("tcp", addr)
		ok(t, err)
		line, end := "GET /script.js HTTP/1.1\r\nHost: "+addr+"\r\nX: ", "\r\n\r\n"
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

// TestSlowForm: of a form that never ends, the server waits no longer than its patience, and answers others meanwhile.
func TestSlowForm(t *testing.T) {
	o := local(filled(t))
	l, err := net.Listen("tcp", "127.0.0.1:0")
	ok(t, err)
	o.Addr, o.Timeout, o.Edit = l.Addr().String(), hasty, true
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- Serve(ctx, l, o) }()
	c, err := net.Dial("tcp", o.Addr)
	ok(t, err)
	form := url.Values{"run": {"@1"}}.Encode()
	_, err = fmt.Fprintf(c, "POST /label HTTP/1.1\r\nHost: %s\r\nContent-Type: application/x-www-form-urlencoded\r\n"+
		"Content-Length: %d\r\n\r\n%s", o.Addr, len(form)+1, form)
	ok(t, err)
	answer, err := http.ReadResponse(bufio.NewReader(c), nil)
	ok(t, err)
	if answer.StatusCode != http.StatusBadRequest {
		t.Errorf("a form that is not sent whole: status %d", answer.StatusCode)
	}
	stillServes(t, o.Addr)
	ok(t, c.Close())
	cancel()
	ok(t, <-ended)
}
