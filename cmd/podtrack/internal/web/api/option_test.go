package api

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
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

// BenchmarkOptions answers what the page asks for about runs in nine rooms, by the number of iterations, each of which
// adds nearly 400 options: lists grow with them, and what is shown of an option does not. Run it with -benchtime 1x.
func BenchmarkOptions(b *testing.B) {
	spec := pod.PaperSpec()
	var err error
	spec.Env, err = envs.DefaultEnv("grid")
	ok(b, err)
	spec.Env.Text[envs.MapParameter], spec.Steps, spec.Numerics = "nine-rooms", 3000, schema.NumericsVersion
	for _, iterations := range []int{4, 8, 16, 32} {
		store := storeAt(filepath.Join(b.TempDir(), "podtrack.db"))
		perform(b, store, iterations, spec)
		h, run := New(optionsFor(store)), "/api/runs/"+idOf(b, spec)
		var options []report.Option
		ok(b, json.Unmarshal(ask(h, run+"/options").Body.Bytes(), &options))
		last := options[len(options)-1]
		for name, path := range map[string]string{
			"run": "", "options": "/options", "lanes": "/lanes",
			"table": fmt.Sprintf("/iterations/%d/options/%s/table", last.K, report.OptionName(last.J, last.Sign)),
		} {
			b.Run(fmt.Sprintf("%s/options=%d", name, len(options)), func(b *testing.B) {
				size := 0
				for b.Loop() {
					w := ask(h, run+path)
					if w.Code != 200 {
						b.Fatal(strings.TrimSpace(w.Body.String()))
					}
					size = w.Body.Len()
				}
				b.ReportMetric(float64(size), "bytes")
			})
		}
	}
}
