package api

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/replay/report"
)

// TestEveryOption: each option that a run lists is found by its name, and no other.
func TestEveryOption(t *testing.T) {
	h, run := New(optionsFor(filled(t))), "/api/runs/"+idOf(t, small(1))
	var options []report.Option
	ok(t, json.Unmarshal(ask(h, run+"/options").Body.Bytes(), &options))
	names := map[string]bool{}
	for _, o := range options {
		path := fmt.Sprintf("%s/iterations/%d/options/%s", run, o.K, report.OptionName(o.J, o.Sign))
		names[path] = true
		for _, path := range []string{path, fmt.Sprintf("%s/options/%d", run, o.Number)} {
			var found struct {
				Option string
				Number int
			}
			ok(t, json.Unmarshal(ask(h, path).Body.Bytes(), &found))
			if found.Option != o.Option || found.Number != o.Number {
				t.Errorf("%s: %q, %d, want %q, %d", path, found.Option, found.Number, o.Option, o.Number)
			}
		}
	}
	wantFailure(t, ask(h, fmt.Sprintf("%s/options/%d", run, len(options))), 404)
	for _, number := range []string{"x", "-1", "99999999999", "1%2F2", "%23"} {
		wantFailure(t, ask(h, run+"/options/"+number), 400)
	}
	if len(options) < 10 {
		t.Fatalf("only %d options", len(options))
	}
	for k := range 3 {
		for j := 1; j < 10; j++ {
			path := fmt.Sprintf("%s/iterations/%d/options/%d-", run, k, j)
			if !names[path] {
				wantFailure(t, ask(h, path), 404)
			}
		}
	}
}
