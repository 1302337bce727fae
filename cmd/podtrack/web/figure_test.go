package web

import (
	"context"
	"net/url"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// TestFigure passes on what a request says, word by word, and refuses what is not
// for it to say.
func TestFigure(t *testing.T) {
	var got Drawing
	o := local(filled(t))
	o.Draw = func(_ context.Context, d Drawing) ([]byte, error) {
		got = d
		if d.Figure == "none" {
			return nil, schema.Hint(tracker.ErrInvalid, "name another")
		}
		return []byte("<svg/>"), nil
	}
	h, run := New(o), idOf(t, small(0))
	w := ask(h, "/api/figure/walk?of="+run+"&of=@2:1&theme=dark&no-title=true")
	want := Drawing{"walk", []string{run, "@2:1"}, url.Values{"format": {"svg"}, "theme": {"dark"}, "no-title": {"true"}}}
	if w.Code != 200 || w.Header().Get("Content-Type") != "image/svg+xml" || got.Figure != want.Figure ||
		!slices.Equal(got.Of, want.Of) || got.Flags.Encode() != want.Flags.Encode() {
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
		"/api/figure/walk?of=nobody": 404, "/api/figure/walk?of=" + run + "&format=exe": 400,
		"/api/figure/walk?of=" + run + "&store=x": 400, "/api/figure/walk?of=" + run + "&o=x": 400,
		"/api/figure/walk?of=" + run + "&width=1in&width=2in": 400, "/api/figure/none": 400, "/api/figure/": 404,
		"/api/figure/walk/x": 404, "/api/figure/walk?of=%00": 404, "/api/figure/walk?of=seed%3D0&of=@1": 400,
	} {
		wantFailure(t, ask(h, target), status)
	}
	wantFailure(t, ask(New(local(filled(t))), "/api/figure/walk?of=@1"), 404)
}
