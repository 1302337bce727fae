package pod_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// corridor returns a graph without faults: cells in a row.
func corridor() pod.Graph {
	return pod.Graph{
		States: 5, Actions: []string{"left", "right"}, Features: []string{"place", "wall"},
		Observe: func(s int, dst []float64) {
			dst[0], dst[1] = float64(s), 0
			if s == 0 || s == 4 {
				dst[1] = 1
			}
		},
		Step: func(s, a int) int { return min(max(s+2*a-1, 0), 4) },
	}
}

// TestGraphFaults: every definition that is not complete is refused, and what only its functions show
// is found by CheckEnv.
func TestGraphFaults(t *testing.T) {
	for name, c := range map[string]struct {
		change func(*pod.Graph)
		want   string // of the error, "" for none
	}{
		"none":           {func(*pod.Graph) {}, ""},
		"episodes":       {func(g *pod.Graph) { g.IsTerminal = func(s int) bool { return s == 4 } }, ""},
		"states":         {func(g *pod.Graph) { g.States = 0 }, "0 states"},
		"many states":    {func(g *pod.Graph) { g.States = pod.MaxGraphStates + 1 }, "states; there can be"},
		"actions":        {func(g *pod.Graph) { g.Actions = nil }, "0 actions"},
		"an action":      {func(g *pod.Graph) { g.Actions = []string{"a", "a"} }, `the action "a"`},
		"a feature":      {func(g *pod.Graph) { g.Features = []string{"x", "\x01"} }, `the feature "\x01"`},
		"no observation": {func(g *pod.Graph) { g.Observe = nil }, "Features or Observe"},
		"no features":    {func(g *pod.Graph) { g.Features = nil }, "Features or Observe"},
		"one-hot":        {func(g *pod.Graph) { g.Features, g.Observe = nil, nil }, ""},
		"no dynamics":    {func(g *pod.Graph) { g.Step = nil }, "Step and Branches"},
		"limit":          {func(g *pod.Graph) { g.EpisodeLimit = -1 }, "episode limit"},
		"start":          {func(g *pod.Graph) { g.Starts = []int{5} }, "start state 5"},
		"no start":       {func(g *pod.Graph) { g.Starts = []int{} }, "no state to start in"},
		"starts":         {func(g *pod.Graph) { g.Starts = []int{1, 2} }, "2 states to start in"},
		"a successor":    {func(g *pod.Graph) { g.Step = func(s, a int) int { return s + a } }, "the successor 5 of action"},
		"no branch": {func(g *pod.Graph) { g.Step, g.Branches = nil, func(int, int) []pod.Branch { return nil } },
			"no successor"},
		"weight": {func(g *pod.Graph) {
			g.Step, g.Branches = nil, func(s, _ int) []pod.Branch { return []pod.Branch{{Next: int32(s)}} }
		}, "the weight 0"},
		"sum of weights": {func(g *pod.Graph) {
			g.Step, g.Branches = nil, func(s, _ int) []pod.Branch {
				return []pod.Branch{{Next: int32(s), Weight: math.MaxInt64}, {Next: 0, Weight: math.MaxInt64}}
			}
		}, "the weight"},
		"NaN": {func(g *pod.Graph) { g.Observe = func(s int, dst []float64) { dst[0], dst[1] = math.Log(-1), 0 } },
			`feature "place" is NaN, which is not finite, in state 0`},
		"unset": {func(g *pod.Graph) { g.Observe = func(s int, dst []float64) { dst[0] = 1 } },
			"Observe sets every element"},
		"changing": {func(g *pod.Graph) {
			calls := 0.0
			g.Observe = func(s int, dst []float64) { calls++; dst[0], dst[1] = calls, 0 }
		}, "when it is observed again"},
	} {
		t.Run(name, func(t *testing.T) {
			g := corridor()
			c.change(&g)
			env, err := g.Env()
			if err == nil {
				err = pod.CheckEnv(t.Context(), env)
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) ||
				!errors.Is(err, schema.ErrSpec)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	env, _ := corridor().Env()
	ctx, cancel := context.WithCancel(t.Context())
	if cancel(); !errors.Is(pod.CheckEnv(ctx, env), context.Canceled) {
		t.Error("CheckEnv goes on after its context")
	}
}

// TestRegisterEnv: names that podtrack could take, or that would not be found again, are refused.
func TestRegisterEnv(t *testing.T) {
	build := func(schema.Env) (pod.Env, error) { return corridor().Env() }
	good := pod.RegisteredEnv{Name: "test.example/corridor", Version: 1, Build: build,
		Parameters:     []pod.Parameter{{Name: "cells", Default: 5, Min: 1, Max: 9}},
		TextParameters: []pod.TextParameter{{Name: "light", Default: "on", Values: []string{"on", "off"}}}}
	for name, change := range map[string]func(*pod.RegisteredEnv){
		"a name of podtrack":  func(e *pod.RegisteredEnv) { e.Name = "grid" },
		"no owner":            func(e *pod.RegisteredEnv) { e.Name = "corridor" },
		"upper case":          func(e *pod.RegisteredEnv) { e.Name = "Test/corridor" },
		"two slashes":         func(e *pod.RegisteredEnv) { e.Name = "test//corridor" },
		"a long name":         func(e *pod.RegisteredEnv) { e.Name = "test/" + strings.Repeat("x", 100) },
		"version 0":           func(e *pod.RegisteredEnv) { e.Version = 0 },
		"no Build":            func(e *pod.RegisteredEnv) { e.Build = nil },
		"a field of specs":    func(e *pod.RegisteredEnv) { e.Parameters[0].Name = "kappa" },
		"a newer field":       func(e *pod.RegisteredEnv) { e.Parameters[0].Name = "sides" },
		"a parameter's name":  func(e *pod.RegisteredEnv) { e.Parameters[0].Name = "Cells" },
		"the same twice":      func(e *pod.RegisteredEnv) { e.Parameters[0].Name = "light" },
		"a default too large": func(e *pod.RegisteredEnv) { e.Parameters[0].Default = 10 },
		"a default of none":   func(e *pod.RegisteredEnv) { e.TextParameters[0].Default = "dim" },
	} {
		e := good
		e.Parameters, e.TextParameters = []pod.Parameter{good.Parameters[0]}, []pod.TextParameter{good.TextParameters[0]}
		change(&e)
		if err := pod.RegisterEnv(e); !errors.Is(err, schema.ErrSpec) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := pod.DefaultEnv(good.Name); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
		t.Errorf("before it is registered: %v with remedy %q", err, schema.Remedy(err))
	}
	if err := pod.RegisterEnv(good); err != nil {
		t.Fatal(err)
	}
	if err := pod.RegisterEnv(good); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
		t.Errorf("registered twice: %v with remedy %q", err, schema.Remedy(err))
	}
	e, err := pod.DefaultEnv(good.Name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := pod.NewEnv(e); err != nil {
		t.Error(err)
	}
	e.Version = 2
	if _, err := pod.NewEnv(e); !errors.Is(err, schema.ErrSpec) || !strings.Contains(err.Error(), "version 1 of") {
		t.Errorf("another version: %v", err)
	}
	e.Version, e.Params["cells"] = 1, 10
	if _, err := pod.NewEnv(e); !errors.Is(err, schema.ErrSpec) {
		t.Errorf("a parameter out of its bounds: %v", err)
	}
}
