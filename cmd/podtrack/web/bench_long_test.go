package web

import (
	"path/filepath"
	"testing"

	"github.com/podtrack/podtrack/pod"
)

// BenchmarkLongRun asks for the views of a run of 500 iterations and 12,000,000 steps, which has about 12,000 options:
// first of a server that has read nothing, then again.
func BenchmarkLongRun(b *testing.B) {
	spec := pod.PaperSpec()
	spec.Steps = 24_000
	store := storeAt(filepath.Join(b.TempDir(), "podtrack.db"))
	perform(b, store, 500, spec)
	run := "/api/runs/" + idOf(b, spec)
	for name, path := range map[string]string{
		"run": "", "options": "/options", "exploration": "/exploration", "walk": "/walk", "steps": "/steps?to=24000",
		"visits": "/visits", "option": "/iterations/250/options/1+",
	} {
		b.Run(name+"/first", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				h := New(local(store))
				b.StartTimer()
				if w := ask(h, run+path); w.Code != 200 {
					b.Fatal(w.Body)
				}
			}
		})
		b.Run(name+"/again", func(b *testing.B) {
			h := New(local(store))
			ask(h, run+path)
			for b.Loop() {
				if w := ask(h, run+path); w.Code != 200 {
					b.Fatal(w.Body)
				}
			}
		})
	}
}
