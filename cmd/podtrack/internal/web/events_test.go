package web

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// stream is what a client hears.
type stream struct {
	t     *testing.T
	lines *bufio.Scanner
}

func listen(t *testing.T, server *httptest.Server) stream {
	t.Helper()
	r, err := http.Get(server.URL + "/events")
	ok(t, err)
	t.Cleanup(func() { r.Body.Close() })
	if kind := r.Header.Get("Content-Type"); r.StatusCode != 200 || kind != "text/event-stream" {
		t.Fatalf("status %d, %s", r.StatusCode, kind)
	}
	return stream{t, bufio.NewScanner(r.Body)}
}

// change waits until the client is told of a change, and returns what names the state.
func (s stream) change() string {
	s.t.Helper()
	isChange := false
	for s.lines.Scan() {
		line := s.lines.Text()
		if data, found := strings.CutPrefix(line, "data: "); found && isChange {
			return data
		}
		isChange = line == "event: change"
	}
	s.t.Fatalf("the stream ended: %v", s.lines.Err())
	return ""
}

// other waits for a state other than the given ones.
func (s stream) other(than ...string) string {
	s.t.Helper()
	for {
		if state := s.change(); !slices.Contains(than, state) {
			return state
		}
	}
}

// TestEvents listens while a store appears, a run in it goes on, and it disappears.
func TestEvents(t *testing.T) {
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	server := httptest.NewServer(newSite(local(store)))
	t.Cleanup(server.Close)
	client := listen(t, server)
	none := client.change()

	ok(t, store.Create(t.Context()))
	empty := client.other(none)
	heard, ended := make(chan struct{}), make(chan error, 1)
	w := groupcommit.Start(t.Context(), store)
	go func() {
		replay.NewEngine(store, w, replay.Options{Report: func(e replay.Event) {
			if e.K == 2 {
				<-heard
			}
		}}).RunAll(t.Context(), slices.Values([]replay.Job{{Spec: small(5), Target: 3}}), 1,
			func(_ replay.Job, o replay.Outcome) { ended <- o.Err })
	}()
	atWork := client.other(none, empty)
	close(heard)
	ok(t, <-ended)
	ok(t, w.Close(t.Context()))
	client.other(none, empty, atWork)

	late := listen(t, server)
	late.change()
	ok(t, os.Remove(store.Path()))
	for _, s := range []stream{client, late} {
		for s.change() != none {
		}
	}
}

// TestLocked: a client hears that a store is locked, and that it is free again.
func TestLocked(t *testing.T) {
	store := filled(t)
	w := groupcommit.Start(t.Context(), store)
	run, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: small(0), Target: 9}) // so that the store is looked at
	ok(t, err)
	ok(t, w.Flush(t.Context()))
	impatient := tracker.New(store.Path(), tracker.Options{Wait: time.Millisecond})
	server := httptest.NewServer(newSite(local(impatient)))
	t.Cleanup(server.Close)
	client := listen(t, server)
	free := client.change()
	ok(t, store.Update(t.Context(), func(*tracker.Tx) error {
		client.other(free)
		r, err := http.Get(server.URL + "/ls?json=true")
		if err == nil {
			r.Body.Close()
		}
		if err != nil || r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
			t.Errorf("while it is locked: %v, %v", r, err)
		}
		return nil
	}))
	client.change()
	run.Release(nil)
	ok(t, w.Close(t.Context()))
}

// kept is an answer that goes on, whose text can be read when all goroutines wait.
type kept struct {
	http.ResponseWriter
	strings.Builder
}

func (r *kept) Write(p []byte) (int, error)       { return r.Builder.Write(p) }
func (r *kept) WriteString(s string) (int, error) { return r.Builder.WriteString(s) }
func (r *kept) Flush()                            {}

// TestQuiet: as long as nothing changes, a client is told the state once, and then only that the server is there. When
// the client goes, nothing looks at the store any more.
func TestQuiet(t *testing.T) {
	store := filled(t)
	synctest.Test(t, func(t *testing.T) {
		s := &site{Options: local(store), sender: sender{Timeout: time.Hour}, watch: newWatch(store)}
		ctx, leave := context.WithCancel(t.Context())
		r := httptest.NewRequest(http.MethodGet, "/events", nil).WithContext(ctx)
		w, ended := &kept{ResponseWriter: httptest.NewRecorder()}, make(chan struct{})
		go func() {
			defer close(ended)
			s.events(w, r)
		}()
		time.Sleep(10*alive + time.Second)
		synctest.Wait()
		text := w.String()
		if told, beats := strings.Count(text, "event: change"), strings.Count(text, ": nothing new"); told != 1 ||
			beats != 10 {
			t.Errorf("%d changes, %d signs of life:\n%s", told, beats, text)
		}
		leave()
		<-ended // and the bubble ends only if nothing else goes on
		if s.watch.pages != 0 {
			t.Errorf("%d clients are left", s.watch.pages)
		}
	})
}

// TestTooManyListen has no place for another client until one goes.
func TestTooManyListen(t *testing.T) {
	server := httptest.NewServer(newSite(local(filled(t))))
	t.Cleanup(server.Close)
	var last stream
	for range maxStreams {
		last = listen(t, server)
	}
	r, err := http.Get(server.URL + "/events")
	ok(t, err)
	r.Body.Close()
	if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
		t.Errorf("status %d", r.StatusCode)
	}
	last.change()
}
