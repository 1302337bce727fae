package api

import (
	"encoding/json"
	"testing"

	"github.com/podtrack/podtrack/replay/diff"
)

// TestGroup: runs are compared by what is asked for.
func TestGroup(t *testing.T) {
	h := New(optionsFor(filled(t)))
	for _, by := range []diff.Kind{diff.Purposes, diff.Options} {
		var c diff.Clustering
		ok(t, json.Unmarshal(ask(h, "/api/group?q=seed%3D0-2&by="+string(by)).Body.Bytes(), &c))
		if c.By != by || len(c.Runs) != 3 || len(c.Distinct()) == 0 {
			t.Errorf("by %s: %+v", by, c)
		}
	}
	wantFailure(t, ask(h, "/api/group?q=seed%3D0-2&by=runs"), 400)
}
