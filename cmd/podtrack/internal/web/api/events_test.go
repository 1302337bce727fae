package api

import (
	"bufio"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
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
	r, err := http.Get(server.URL + "/api/events")
	ok(t, err)
	t.Cleanup(func() { r.Body.Close() })
	if kind := r.Header.Get("Content-Type"); r.StatusCode != 200 || kind != "text/event-stream" {
		t.Fatalf("status %d, %s", r.StatusCode, kind)
	}
	return stream{t, bufio.NewScanner(r.Body)}
}

// next returns the name and the data of the next event.
func (s stream) next() (name, data string) {
	s.t.Helper()
	for s.lines.Scan() {
		switch line := s.lines.Text(); {
		case strings.HasPrefix(line, "event: "):
			name = line[len("event: "):]
		case strings.HasPrefix(line, "data: "):
			data = line[len("data: "):]
		case line == "" && name != "":
			return name, data
		}
	}
	s.t.Fatalf("the stream ended: %v", s.lines.Err())
	return "", ""
}

// revision returns the next one other than the given.
func (s stream) revision(other string) string {
	s.t.Helper()
	for {
		var told struct{ Revision string }
		if name, data := s.next(); name == "revision" {
			ok(s.t, json.Unmarshal([]byte(data), &told))
			if told.Revision != other {
				return told.Revision
			}
		}
	}
}

// run returns the next row that is as wanted.
func (s stream) run(wanted func(report.Run) bool) listedRun {
	s.t.Helper()
	for {
		var r listedRun
		if name, data := s.next(); name == "run" {
			ok(s.t, json.Unmarshal([]byte(data), &r))
			if wanted(r.Run) {
				return r
			}
		}
	}
}

// TestEvents listens while a store appears and a run in it goes on, which waits
// for the listener to hear of it.
func TestEvents(t *testing.T) {
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	server := httptest.NewServer(New(optionsFor(store)))
	t.Cleanup(server.Close)
	client := listen(t, server)
	if got := client.revision(""); got != "none" {
		t.Errorf("revision %q where no store is", got)
	}

	heard, ended := make(chan struct{}), make(chan error, 1)
	ok(t, store.Create(t.Context()))
	w := groupcommit.Start(t.Context(), store)
	go func() {
		replay.NewEngine(store, w, replay.Options{Report: func(e replay.Event) {
			if e.K == 2 {
				<-heard
			}
		}}).RunAll(t.Context(), slices.Values([]replay.Job{{Spec: small(5),
			Target: 3}}), 1, func(_ replay.Job, o replay.Outcome) { ended <- o.Err })
	}()
	atWork := client.run(func(r report.Run) bool { return r.Status == tracker.Running && r.Iterations == 2 })
	close(heard)
	ok(t, <-ended)
	ok(t, w.Close(t.Context()))
	done := client.run(func(r report.Run) bool { return r.Status != tracker.Running })
	if done.ID != atWork.ID || done.Status != tracker.Complete || done.Iterations != 3 || done.Head == nil {
		t.Errorf("at the end: %s after %d iterations", done.Status, done.Iterations)
	}
	page := listed(t, New(optionsFor(store)), "")
	late := listen(t, server)
	if got := late.revision(""); got != page.Revision {
		t.Errorf("revision %s, and %s of the list", got, page.Revision)
	}

	ok(t, os.Remove(store.Path()))
	for _, s := range []stream{client, late} {
		for last := ""; last != "none"; {
			last = s.revision(last)
		}
	}
}

// TestTooManyListen has no place for another client.
func TestTooManyListen(t *testing.T) {
	server := httptest.NewServer(New(optionsFor(filled(t))))
	t.Cleanup(server.Close)
	for range maxStreams {
		listen(t, server)
	}
	r, err := http.Get(server.URL + "/api/events")
	ok(t, err)
	defer r.Body.Close()
	if r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
		t.Errorf("status %d", r.StatusCode)
	}
}

// TestLocked: a listener hears that the store of a running run is locked, and that it is free again. What it was told
// before stays.
func TestLocked(t *testing.T) {
	path := filepath.Join(t.TempDir(), "podtrack.db")
	store := storeAt(path)
	ok(t, store.Create(t.Context()))
	w := groupcommit.Start(t.Context(), store)
	run, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: small(0), Target: 3})
	ok(t, err)
	ok(t, w.Flush(t.Context()))
	server := httptest.NewServer(New(optionsFor(tracker.New(path, tracker.Options{Wait: time.Millisecond}))))
	t.Cleanup(server.Close)
	client := listen(t, server)
	revision := client.revision("")
	hear := func() (told reply.Failure) {
		t.Helper()
		for {
			switch name, data := client.next(); name {
			case "revision":
				t.Errorf("the revision changes to %s, from %s", data, revision)
			case "locked":
				ok(t, json.Unmarshal([]byte(data), &told))
				return told
			}
		}
	}
	ok(t, store.Update(t.Context(), func(*tracker.Tx) error {
		if told := hear(); !strings.Contains(told.Error, "is locked by ") || told.Remedy == "" {
			t.Errorf("told %+v", told)
		}
		return nil
	}))
	if told := hear(); told.Error != "" {
		t.Errorf("told %+v of a store that is free", told)
	}
	run.Release(nil)
	ok(t, w.Close(t.Context()))
}
