// Package commands tests what commands print and serve, in this process or as one of their own.
package commands

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// forgeCheckpoint leaves a store in which a run whose earlier iterations are true claims to have walked to the right
// a hundred times in iteration k, and to be about to factor that. Its state has more members, if they are given.
func forgeCheckpoint(t *testing.T, path string, spec schema.Spec, k int, more map[string]any) {
	t.Helper()
	store, err := replay.Create(t.Context(), path)
	e2e.Must(t, err)
	begin := 0
	if k > 0 {
		run, err := store.Run(t.Context(), replay.Job{Spec: spec, Target: k}, replay.Options{})
		e2e.Must(t, err)
		for step, err := range run.Steps(t.Context(), k-1) {
			e2e.Must(t, err)
			begin = step.Next
		}
	}
	walk := schema.Transitions{Start: uint64(begin), Arity: 2, Spans: []schema.Span{{Steps: 100,
		Option: schema.Primitive}}}
	for range 100 {
		walk.Actions = append(walk.Actions, 1)
	}
	record, err := walk.Encode()
	e2e.Must(t, err)
	end := uint64((begin + 100) % 64)
	partial, err := schema.Transitions{Start: end, Arity: 2}.Encode()
	e2e.Must(t, err)
	stream, err := rng.NewStream(spec.Seed, k, collect.WalkStream).Save()
	e2e.Must(t, err)
	members := map[string]any{
		"k": k, "stream": stream, "state": end, "force": schema.Primitive, "partial": partial, "cost": map[string]int64{},
	}
	maps.Copy(members, more)
	state, err := wire.Marshal(members)
	e2e.Must(t, err)

	w := groupcommit.Start(t.Context(), store.Tracker())
	rw, _, err := w.Acquire(t.Context(), tracker.Claim{Spec: spec, Target: 3})
	e2e.Must(t, err)
	name, err := rw.Put(record)
	e2e.Must(t, err)
	e2e.Must(t, rw.SealCheckpoint(state, []schema.Entry{{Kind: schema.KindTransitions, Name: name}}))
	e2e.Must(t, w.Close(t.Context()))
}

// TestExpectBelievesNoCheckpoint goes on from a forged checkpoint, in each iteration, to the head that follows from it.
// That head is no proof, since the steps before the checkpoint were never taken.
func TestExpectBelievesNoCheckpoint(t *testing.T) {
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps = 6, 100
	run := []string{"run", "--bits", "6", "--steps", "100", "--iterations", "3", "--json", "--store"}
	for k := range 3 {
		dir := t.TempDir()
		forged, copied := filepath.Join(dir, "forged.db"), filepath.Join(dir, "copied.db")
		forgeCheckpoint(t, forged, spec, k, nil)
		data, err := os.ReadFile(forged)
		e2e.Must(t, err)
		e2e.Must(t, os.WriteFile(copied, data, 0o666))
		first := e2e.Start(t, append(run, copied)...)
		first.Exit(t, cmdline.ExitDone)
		var r report.Run
		e2e.Must(t, json.Unmarshal(first.Printed.Bytes(), &r))
		p := e2e.Start(t, append(run, forged, "--expect", r.Head.String())...)
		p.Exit(t, cmdline.ExitDifference)
		said := p.Said.String()
		if !strings.Contains(said, fmt.Sprintf("iteration %d", k)) || !strings.Contains(said, "is recorded as 1") ||
			strings.Contains(said, "proved") {
			t.Errorf("forged in iteration %d: stderr: %s", k, said)
		}
		honest := filepath.Join(dir, "honest.db")
		e2e.Perform(t, append(run, honest)...)
		if head := *e2e.List(t, honest)[0].Head; head == *r.Head {
			t.Error("the forged walk is the true one")
		}
		e2e.Perform(t, append(run, honest, "--expect", e2e.List(t, honest)[0].Head.String())...)
	}
}

// TestForgedHold refuses checkpoints with an action that cannot persist.
func TestForgedHold(t *testing.T) {
	for name, c := range map[string]struct {
		behaviour schema.Behaviour
		more      map[string]any
	}{
		"no such action":    {"zeta=2", map[string]any{"held": 2, "hold": 1}},
		"negative action":   {"zeta=2", map[string]any{"held": -1, "hold": 1}},
		"negative steps":    {"geometric=5", map[string]any{"hold": -1}},
		"uniform behaviour": {schema.Uniform, map[string]any{"held": 1, "hold": 1}},
		"in an option":      {"zeta=2", map[string]any{"held": 1, "hold": 1, "force": 0}},
	} {
		path, spec := filepath.Join(t.TempDir(), "forged.db"), pod.PaperSpec()
		spec.Env.Params["bits"], spec.Steps, spec.Behaviour = 6, 200, c.behaviour
		forgeCheckpoint(t, path, spec, 1, c.more)
		p := e2e.Start(t, "resume", "--all", "--store", path)
		p.Exit(t, cmdline.ExitFailure)
		if said := p.Said.String(); !strings.Contains(said, "checkpoint:") || !strings.Contains(said, "more steps") {
			t.Errorf("%s: stderr: %s", name, said)
		}
	}
}

func TestMain(m *testing.M) {
	e2e.Main(m, command.Main, command.Execute, command.AnswerSchema, nil)
}
