package web

import (
	"encoding/json"
	"net/http"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// TestTag asks again for what is there: it is neither computed nor sent unless the
// runs that it is of have changed.
func TestTag(t *testing.T) {
	store := filled(t)
	o := local(store)
	s := newServer(o)
	h := s.handler()
	run := "/api/runs/" + idOf(t, small(0))
	targets := []string{
		run, run + "/options", run + "/walk", run + "/iterations/1/options/1+", run + "/iterations/1/options/1+/table",
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

// TestForks finds what was made of a run, and what was made of that.
func TestForks(t *testing.T) {
	store := filled(t)
	id, err := schema.RunID(small(0), nil)
	ok(t, err)
	first := forked(t, store, id, 1, 0.5)
	second := forked(t, store, first, 2, 0.6)
	for of, want := range map[schema.Digest][]schema.Digest{id: {second, first}, first: {second}, second: {}} {
		var got []report.Run
		w := ask(New(local(store)), "/api/runs/"+of.String()+"/forks")
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got == nil {
			t.Fatalf("%s: %v", w.Body, err)
		}
		if !slices.EqualFunc(got, want, func(r report.Run, id schema.Digest) bool { return r.ID == id }) {
			t.Errorf("of %.7s: %s", of, w.Body)
		}
	}
	wantFailure(t, ask(New(local(store)), "/api/runs/nobody/forks"), 404)
}
