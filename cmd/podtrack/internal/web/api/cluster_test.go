package api

import (
	"encoding/json"
	"testing"

	"github.com/podtrack/podtrack/replay/diff"
)

// TestThumbnails: each distinct purpose or option has a thumbnail. The names of options have their signs.
func TestThumbnails(t *testing.T) {
	h := New(optionsFor(filled(t)))
	for _, by := range []diff.Kind{diff.Purposes, diff.Options} {
		var c clustering
		ok(t, json.Unmarshal(ask(h, "/api/group?q=seed%3D0-2&by="+string(by)).Body.Bytes(), &c))
		if c.By != by || len(c.Thumbnails) != len(c.Distinct()) || len(c.Thumbnails) == 0 || len(c.Dendrogram.Leaves) != 3 {
			t.Fatalf("by %s: %d thumbnails of %d", by, len(c.Thumbnails), len(c.Distinct()))
		}
		signs, names := map[rune]int{}, map[string]bool{}
		for i, small := range c.Thumbnails {
			if names[small.Name] {
				t.Errorf("by %s: two are called %s", by, small.Name)
			}
			names[small.Name] = true
			if len(small.Strip) != 7 || small.Name == "" {
				t.Errorf("%s: %+v", c.Distinct()[i].Name, small)
			}
			signs[[]rune(small.Name)[0]]++
		}
		if signs['+'] == 0 || (by == diff.Options) != (signs['−'] > 0) {
			t.Errorf("by %s: signs %v", by, signs)
		}
	}
	wantFailure(t, ask(h, "/api/group?q=seed%3D0-2&by=runs"), 400)
}
