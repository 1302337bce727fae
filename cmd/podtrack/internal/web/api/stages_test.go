package api

import (
	"bufio"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/replay/why"
)

// line is one of an answer in stages.
type line struct {
	Doing         string
	Done, Of      int
	Report        map[string]any
	Error, Remedy string
}

// linesOf returns the lines of an answer.
func linesOf(t *testing.T, body io.Reader) (lines []line) {
	t.Helper()
	for scan := json.NewDecoder(body); scan.More(); {
		var l line
		ok(t, scan.Decode(&l))
		lines = append(lines, l)
	}
	return lines
}

// TestWhyInStages: the fields of all stages together are the document of why, and each stage
// sends those that it knows.
func TestWhyInStages(t *testing.T) {
	h := New(optionsFor(filled(t)))
	const option = "/api/runs/@1/iterations/2/options/1%2B/why"
	for _, query := range []string{"", "?state=3"} {
		lines := linesOf(t, ask(h, option+"/stages"+query).Body)
		merged, done := map[string]any{}, []int{}
		for _, l := range lines {
			maps.Copy(merged, l.Report)
			if l.Report != nil {
				done = append(done, l.Done)
			} else if l.Doing == "" {
				t.Errorf("a line says nothing: %+v", l)
			}
			if l.Of != why.Stages || l.Done == 1 && l.Report != nil && l.Report["evidence"] == nil {
				t.Errorf("%+v", l)
			}
		}
		var want map[string]any
		ok(t, json.Unmarshal(ask(h, option+query).Body.Bytes(), &want))
		if diff := cmp.Diff(want, merged); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff([]int{1, 2, 3, 4, 5}, done); diff != "" {
			t.Error(diff)
		}
	}
	for path, status := range map[string]int{
		"/why/stages?state=x": 400, "/why/stages?state=128": 400, "/why/stages?steps=1": 400, "/effects?state=1": 400,
	} {
		wantFailure(t, ask(h, strings.TrimSuffix(option, "/why")+path), status)
	}
	for _, ref := range []string{"/iterations/9/options/1+", "/iterations/0/options/99+"} {
		wantFailure(t, ask(h, "/api/runs/@1"+ref+"/why/stages"), 404)
		wantFailure(t, ask(h, "/api/runs/@1"+ref+"/effects"), 404)
	}
}

// TestEffects: what an option led to comes behind a line for each iteration.
func TestEffects(t *testing.T) {
	lines := linesOf(t, ask(New(optionsFor(filled(t))), "/api/runs/@1/iterations/0/options/1%2B/effects").Body)
	last := lines[len(lines)-1]
	if len(lines) != 4 || last.Done != 3 || last.Report["later"] == nil || lines[1].Doing != "iteration 1" {
		t.Errorf("%+v", lines)
	}
}

// gone is a client that goes when it has read so many lines.
type gone struct {
	*httptest.ResponseRecorder
	cancel context.CancelFunc
	left   int
}

func (g *gone) Write(b []byte) (int, error) {
	if g.left--; g.left == 0 {
		g.cancel()
	}
	return g.ResponseRecorder.Write(b)
}

// TestStagesEndWithTheClient: once the client has gone, no further stage is done, and the place is free.
func TestStagesEndWithTheClient(t *testing.T) {
	s := newServer(optionsFor(filled(t)))
	for path, stages := range map[string]int{"/why/stages": why.Stages, "/effects": 3} {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		target := "/api/runs/@1/iterations/1/options/1+" + path
		r := httptest.NewRequestWithContext(ctx, http.MethodGet, target, nil)
		r.Host = "127.0.0.1:8080"
		w := &gone{httptest.NewRecorder(), cancel, 2}
		s.handler().ServeHTTP(w, r)
		lines := linesOf(t, w.Body)
		if last := lines[len(lines)-1]; last.Error == "" || lines[len(lines)-2].Done >= stages-1 {
			t.Errorf("%s goes on: %+v", path, last)
		}
		if len(s.heavy.tokens) != 0 {
			t.Errorf("%s holds its place", path)
		}
	}
}

// TestStagesArriveInTime reads the first line of an answer over the network, goes, and sees that the server ends it.
func TestStagesArriveInTime(t *testing.T) {
	server := httptest.NewServer(New(optionsFor(filled(t))))
	t.Cleanup(server.Close)
	ctx, cancel := context.WithCancel(t.Context())
	r, err := http.NewRequestWithContext(ctx, http.MethodGet,
		server.URL+"/api/runs/@1/iterations/2/options/1+/why/stages", nil)
	ok(t, err)
	answer, err := http.DefaultClient.Do(r)
	ok(t, err)
	defer answer.Body.Close()
	first, err := bufio.NewReader(answer.Body).ReadString('\n')
	ok(t, err)
	kind := answer.Header.Get("Content-Type")
	if kind != "application/x-ndjson" || !strings.Contains(first, `"evidence"`) {
		t.Errorf("%s: %.100s", kind, first)
	}
	cancel()
	afterwards, err := http.Get(server.URL + "/api/runs")
	ok(t, err)
	defer afterwards.Body.Close()
	if afterwards.StatusCode != http.StatusOK {
		t.Errorf("afterwards: status %d", afterwards.StatusCode)
	}
}
