package api

import (
	"container/list"
	"fmt"
	"net/http"
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// TestTag asks again for what is there: it is neither computed nor sent unless the
// runs that it is of have changed.
func TestTag(t *testing.T) {
	store := filled(t)
	o := optionsFor(store)
	s := newServer(o)
	h := s.handler()
	run := "/api/runs/" + idOf(t, small(0))
	targets := []string{
		run, run + "/options", run + "/exploration", run + "/iterations/1/options/1+",
		run + "/iterations/1/options/1+/why",
		"/api/diff?a=" + idOf(t, small(0)) + "&b=" + idOf(t, small(1)), "/api/group?q=seed%3D0-1",
		"/api/compare?a=seed%3D0&b=seed%3D1",
		"/api/compare?group=seed%3D0&group=seed%3D1", "/api/compare?q=seed%3D0-1&by=seed",
	}
	tags := map[string]string{}
	for _, target := range targets {
		w := ask(h, target)
		if tags[target] = w.Header().Get("ETag"); w.Code != 200 || tags[target] == "" {
			t.Fatalf("%s: status %d, tag %q: %s", target, w.Code, tags[target], w.Body)
		}
	}
	again := func(h http.Handler, target string) int {
		return ask(h, target, func(r *http.Request) { r.Header.Set("If-None-Match", tags[target]) }).Code
	}
	for range maxHeavy {
		ok(t, s.heavy.acquire(t.Context())) // so that nothing heavy can be computed
	}
	perform(t, store, 1, small(7))
	for _, target := range targets {
		if code := again(h, target); code != http.StatusNotModified {
			t.Errorf("%s: status %d after another run went on", target, code)
		}
	}
	for range maxHeavy {
		s.heavy.release()
	}
	perform(t, store, 4, small(0))
	for _, target := range targets {
		if code := again(h, target); code != 200 {
			t.Errorf("%s: status %d after its run went on", target, code)
		}
		if code := again(New(o), target); code != 200 {
			t.Errorf("%s: status %d of another server", target, code)
		}
	}
}

// TestAnswersKept asks for what another client has been told: it is sent without being computed, until the run goes on.
func TestAnswersKept(t *testing.T) {
	store := filled(t)
	s := newServer(optionsFor(store))
	h := s.handler()
	target := "/api/runs/" + idOf(t, small(0)) + "/options"
	first := ask(h, target)
	for range maxHeavy {
		ok(t, s.heavy.acquire(t.Context())) // so that nothing heavy can be computed
	}
	perform(t, store, 1, small(7))
	if again := ask(h, target); again.Code != 200 || again.Body.String() != first.Body.String() {
		t.Errorf("status %d after another run went on, %d bytes of %d", again.Code, again.Body.Len(), first.Body.Len())
	}
	for range maxHeavy {
		s.heavy.release()
	}
	perform(t, store, 4, small(0))
	if again := ask(h, target); again.Code != 200 || again.Body.Len() <= first.Body.Len() {
		t.Errorf("status %d after its run went on, %d bytes, %d before", again.Code, again.Body.Len(), first.Body.Len())
	}
}

// TestAnswersBounded keeps no answer that would take the place of all others, and no more bytes than the cache may
// have.
func TestAnswersBounded(t *testing.T) {
	c := &answerCache{places: map[string]*list.Element{}}
	for i, size := range []int{1 << 20, maxAnswerBytes/2 + 1, maxAnswerBytes / 2, maxAnswerBytes / 2} {
		c.keep(reply.Answer{Tag: fmt.Sprint(i), Body: make([]byte, size)})
	}
	for tag, want := range map[string]bool{"0": false, "1": false, "2": false, "3": true} {
		if _, had := c.find(tag); had != want {
			t.Errorf("answer %s: kept is %v", tag, had)
		}
	}
}

// TestTagWhileRunning: what a process saves within an iteration does not change the tag, the end of the session does.
func TestTagWhileRunning(t *testing.T) {
	store := storeAt(filepath.Join(t.TempDir(), "podtrack.db"))
	ok(t, store.Create(t.Context()))
	w := groupcommit.Start(t.Context(), store)
	run, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: small(0), Target: 3, Session: &tracker.Session{}})
	ok(t, err)
	ok(t, w.Flush(t.Context()))
	h, target := New(optionsFor(store)), "/api/runs/"+idOf(t, small(0))
	tag := func() string { return ask(h, target).Header().Get("ETag") }
	before := tag()
	ok(t, run.SealCheckpoint([]byte("state"), nil))
	ok(t, w.Flush(t.Context()))
	if within := tag(); within != before || before == "" {
		t.Errorf("the tag was %s, and is %s in the same iteration", before, within)
	}
	run.Release(nil)
	ok(t, w.Flush(t.Context()))
	if after := tag(); after == before {
		t.Error("the tag is the same after the session")
	}
	ok(t, w.Close(t.Context()))
}

// TestNamesBeforePlaces asks heavy endpoints, whose places are all taken, for what cannot be or is not there: they say
// so at once, and wait for no place.
func TestNamesBeforePlaces(t *testing.T) {
	s := newServer(optionsFor(filled(t)))
	h := s.handler()
	for range maxHeavy {
		ok(t, s.heavy.acquire(t.Context()))
		defer s.heavy.release()
	}
	run := "/api/runs/" + idOf(t, small(0))
	for target, want := range map[string]int{
		"/api/runs/nobody/options": 404, "/api/runs/a%20b/exploration": 404,
		run + "/iterations/-1/options/1%2B/why":          400,
		"/api/runs/nobody/iterations/1/options/1%2B/why": 404,
		"/api/diff?a=" + idOf(t, small(0)):               400,
		"/api/diff?a=nobody&b=nobody":                    404, "/api/diff?a=x:::&b=y": 400,
		"/api/group?q=moon%3D1": 400, "/api/compare?a=moon%3D1&b=seed%3D0": 400,
		"/api/measures?group=moon%3D1&group=seed%3D0": 400, "/api/figure/walk?of=nobody": 404,
		"/api/figure/spectrum?of=moon%3D1": 400,
	} {
		if w := ask(h, target); w.Code != want { // 503 if it waited
			t.Errorf("%s: status %d, want %d: %s", target, w.Code, want, w.Body)
		}
	}
}
