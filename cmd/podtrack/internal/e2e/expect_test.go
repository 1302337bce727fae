package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// forgeCheckpoint leaves a store in which a run claims to have walked to the
// right a hundred times, and to be about to factor that.
func forgeCheckpoint(t *testing.T, path string, spec schema.Spec) {
	t.Helper()
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	walk := schema.Transitions{Arity: 2, Spans: []schema.Span{{Steps: 100, Option: schema.Primitive}}}
	for range 100 {
		walk.Actions = append(walk.Actions, 1)
	}
	record, err := walk.Encode()
	must(err)
	end := uint64(100 % 64)
	partial, err := schema.Transitions{Start: end, Arity: 2}.Encode()
	must(err)
	stream, err := pod.NewStream(spec.Seed, 0, pod.WalkStream).Save()
	must(err)
	state, err := schema.Marshal(map[string]any{
		"k": 0, "stream": stream, "state": end, "force": schema.Primitive, "partial": partial, "cost": map[string]int64{},
	})
	must(err)

	store := tracker.New(path, tracker.Options{})
	must(store.Create(t.Context()))
	w := store.StartWriter(t.Context())
	rw, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: spec, Target: 3})
	must(err)
	name, err := rw.Put(record)
	must(err)
	must(rw.SealCheckpoint(state, []schema.Entry{{Kind: schema.KindTransitions, Name: name}}))
	must(w.Close(t.Context()))
}

// TestExpectBelievesNoCheckpoint goes on from a forged checkpoint to the head
// that follows from it. That is no proof, since the walk before was never taken.
func TestExpectBelievesNoCheckpoint(t *testing.T) {
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps = 6, 100
	dir := t.TempDir()
	forged, copied := filepath.Join(dir, "forged.db"), filepath.Join(dir, "copied.db")
	forgeCheckpoint(t, forged, spec)
	data, err := os.ReadFile(forged)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(copied, data, 0o666); err != nil {
		t.Fatal(err)
	}
	run := []string{"run", "--bits", "6", "--steps", "100", "--iterations", "3", "--json", "--store"}
	first := start(t, append(run, copied)...)
	first.exit(t, cmdline.ExitDone)
	var r report.Run
	if err := json.Unmarshal(first.stdout.Bytes(), &r); err != nil {
		t.Fatal(err)
	}
	p := start(t, append(run, forged, "--expect", r.Head.String())...)
	p.exit(t, cmdline.ExitDifference)
	if said := p.stderr.String(); !strings.Contains(said, "actions[0] is recorded as 1") ||
		strings.Contains(said, "proved") {
		t.Errorf("stderr: %s", said)
	}
	honest := filepath.Join(dir, "honest.db")
	perform(t, append(run, honest)...)
	if head := *list(t, honest)[0].Head; head == *r.Head {
		t.Error("the forged walk is the true one")
	}
	perform(t, append(run, honest, "--expect", list(t, honest)[0].Head.String())...)
}
