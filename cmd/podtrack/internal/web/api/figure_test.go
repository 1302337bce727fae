package api

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// The web server knows the flags of the kinds that are registered; those that draw are above it.
var _ = figure.Register(figure.Kind{Name: "tested",
	Choices: []figure.Choice{{Name: "group"}, {Name: "by"}}})

// TestFigure passes on what a request says, word by word, and refuses what is not
// for it to say.
func TestFigure(t *testing.T) {
	var got figure.Request
	o := optionsFor(filled(t))
	o.Draw = func(_ context.Context, d figure.Request) ([]byte, error) {
		got = d
		if d.Kind.Name == "none" {
			return nil, schema.Hint(tracker.ErrInvalid, "name another")
		}
		return []byte("<svg/>"), nil
	}
	h, run := New(o), idOf(t, small(0))
	w := ask(h, "/api/figure/walk?of="+run+"&of=@2:1&theme=dark&no-title=true&readouts=true")
	if w.Code != 200 || w.Header().Get("Content-Type") != "image/svg+xml" || got.Kind.Name != "walk" ||
		!slices.Equal(got.Args, []string{run, "@2:1"}) || !got.Style.Readouts || got.Format != "svg" ||
		!maps.Equal(got.Choices, map[string]string{"theme": "dark", "no-title": "true"}) {
		t.Errorf("status %d, %s: %v", w.Code, w.Header(), got)
	}
	for format, kind := range figureKinds {
		w := ask(h, "/api/figure/option?of="+run+":1/1%2B&format="+format)
		name := "attachment; filename=option-" + run + "-1-1+." + format
		if w.Header().Get("Content-Type") != kind || w.Header().Get("Content-Disposition") != name {
			t.Errorf("%s: %s", format, w.Header())
		}
	}
	for target, status := range map[string]int{
		"/api/figure/walk?of=seed%3D0&of=steps%3D1-999999": 200, "/api/figure/walk?of=nobody": 404,
		"/api/figure/walk?of=" + run + "&format=exe": 400,
		"/api/figure/walk?of=" + run + "&store=x":    400, "/api/figure/walk?of=" + run + "&o=x": 400,
		"/api/figure/walk?of=" + run + "&width=1in&width=2in": 400, "/api/figure/none": 400, "/api/figure/": 404,
		"/api/figure/walk/x": 404, "/api/figure/walk?of=%00": 404, "/api/figure/walk?of=seed%3D0&of=@1": 400,
	} {
		if w := ask(h, target); status != 200 {
			wantFailure(t, w, status)
		} else if w.Code != 200 {
			t.Errorf("%s: %s", target, w.Body)
		}
	}
	wantFailure(t, ask(New(optionsFor(filled(t))), "/api/figure/walk?of=@1"), 404)
}

// TestDrawingsBesideHeavy draws while everything heavy waits, once for those who ask for the same; and has what is
// heavy computed while all places of drawings are taken.
func TestDrawingsBesideHeavy(t *testing.T) {
	drawn := 0
	store := filled(t)
	o := optionsFor(store)
	o.Draw = func(context.Context, figure.Request) ([]byte, error) {
		drawn++
		return []byte("<svg/>"), nil
	}
	s := newServer(o)
	h, target := s.handler(), "/api/figure/spectrum?of="+idOf(t, small(0))
	take := func(p places, n int) {
		for range n {
			ok(t, p.acquire(t.Context()))
		}
	}
	take(s.heavy, maxHeavy)
	for range 2 {
		if w := ask(h, target); w.Code != 200 || drawn != 1 {
			t.Errorf("status %d, drawn %d times: %s", w.Code, drawn, w.Body)
		}
	}
	perform(t, store, 4, small(0))
	if w := ask(h, target); w.Code != 200 || drawn != 2 {
		t.Errorf("status %d after its run went on, drawn %d times", w.Code, drawn)
	}
	for range maxHeavy {
		s.heavy.release()
	}
	take(s.drawings, maxDrawings)
	if w := ask(h, "/api/runs/"+idOf(t, small(0))+"/options"); w.Code != 200 {
		t.Errorf("status %d beside drawings", w.Code)
	}
}
