package envs_test

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// corridor returns a graph without faults: cells in a row.
func corridor() envs.Graph {
	return envs.Graph{
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
		change func(*envs.Graph)
		want   string // of the error, "" for none
	}{
		"none":           {func(*envs.Graph) {}, ""},
		"episodes":       {func(g *envs.Graph) { g.IsTerminal = func(s int) bool { return s == 4 } }, ""},
		"states":         {func(g *envs.Graph) { g.States = 0 }, "0 states"},
		"many states":    {func(g *envs.Graph) { g.States = envs.MaxGraphStates + 1 }, "states; there can be"},
		"actions":        {func(g *envs.Graph) { g.Actions = nil }, "0 actions"},
		"an action":      {func(g *envs.Graph) { g.Actions = []string{"a", "a"} }, `the action "a"`},
		"a feature":      {func(g *envs.Graph) { g.Features = []string{"x", "\x01"} }, `the feature "\x01"`},
		"no observation": {func(g *envs.Graph) { g.Observe = nil }, "Features or Observe"},
		"no features":    {func(g *envs.Graph) { g.Features = nil }, "Features or Observe"},
		"one-hot":        {func(g *envs.Graph) { g.Features, g.Observe = nil, nil }, ""},
		"no dynamics":    {func(g *envs.Graph) { g.Step = nil }, "Step and Branches"},
		"limit":          {func(g *envs.Graph) { g.EpisodeLimit = -1 }, "episode limit"},
		"start":          {func(g *envs.Graph) { g.Starts = []int{5} }, "start state 5"},
		"no start":       {func(g *envs.Graph) { g.Starts = []int{} }, "no state to start in"},
		"starts":         {func(g *envs.Graph) { g.Starts = []int{1, 2} }, "2 states to start in"},
		"a successor":    {func(g *envs.Graph) { g.Step = func(s, a int) int { return s + a } }, "the successor 5 of action"},
		"no branch": {func(g *envs.Graph) { g.Step, g.Branches = nil, func(int, int) []envs.Branch { return nil } },
			"no successor"},
		"weight": {func(g *envs.Graph) {
			g.Step, g.Branches = nil, func(s, _ int) []envs.Branch { return []envs.Branch{{Next: int32(s)}} }
		}, "the weight 0"},
		"sum of weights": {func(g *envs.Graph) {
			g.Step, g.Branches = nil, func(s, _ int) []envs.Branch {
				return []envs.Branch{{Next: int32(s), Weight: math.MaxInt64}, {Next: 0, Weight: math.MaxInt64}}
			}
		}, "the weight"},
		"NaN": {func(g *envs.Graph) { g.Observe = func(s int, dst []float64) { dst[0], dst[1] = math.Log(-1), 0 } },
			`feature "place" is NaN: not finite, in state 0`},
		"unset": {func(g *envs.Graph) { g.Observe = func(s int, dst []float64) { dst[0] = 1 } },
			"Observe sets every element"},
		"changing": {func(g *envs.Graph) {
			calls := 0.0
			g.Observe = func(s int, dst []float64) { calls++; dst[0], dst[1] = calls, 0 }
		}, "when it is observed again"},
	} {
		t.Run(name, func(t *testing.T) {
			g := corridor()
			c.change(&g)
			env, err := g.Env()
			if err == nil {
				err = envs.CheckEnv(t.Context(), env)
			}
			if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want) ||
				!errors.Is(err, schema.ErrSpec)) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
	env, _ := corridor().Env()
	ctx, cancel := context.WithCancel(t.Context())
	if cancel(); !errors.Is(envs.CheckEnv(ctx, env), context.Canceled) {
		t.Error("CheckEnv goes on after its context")
	}
}

// TestBranchesReach: distances and reachable states follow every branch, not just the likeliest, in RiverSwim (Strehl &
// Littman, J. Computer and System Sciences 74, 2008, figure 1), where right mostly stays. The states are a row, so that
// each is as far as there are states between, and from the last one all can be reached again.
func TestBranchesReach(t *testing.T) {
	const last = 5
	env, err := envs.Graph{
		States: last + 1, Actions: []string{"left", "right"},
		Branches: func(s, a int) []envs.Branch {
			left, at, right := int32(max(s-1, 0)), int32(s), int32(min(s+1, last))
			switch {
			case a == 0:
				return []envs.Branch{{Next: left, Weight: 1}}
			case s == 0:
				return []envs.Branch{{Next: at, Weight: 7}, {Next: right, Weight: 3}}
			}
			return []envs.Branch{{Next: left, Weight: 1}, {Next: at, Weight: 6}, {Next: right, Weight: 3}}
		},
	}.Env()
	if err != nil {
		t.Fatal(err)
	}
	if err := envs.CheckEnv(t.Context(), env); err != nil {
		t.Fatal(err)
	}
	metric, _ := envs.As[envs.Metric](env)
	for from, want := range map[int][]int32{0: {0, 1, 2, 3, 4, 5}, 3: {3, 2, 1, 0, 1, 2}} {
		if diff := cmp.Diff(want, metric.Distances(from)); diff != "" {
			t.Errorf("distances from %d (-want +got):\n%s", from, diff)
		}
	}
	for _, from := range []int{0, last} {
		if n, known := envs.CountReachable(env, from); !known || n != last+1 {
			t.Errorf("%d states can be reached from %d, want all %d", n, from, last+1)
		}
	}
}

// TestRegisterEnv: names that podtrack could take, or that would not be found again, are refused.
func TestRegisterEnv(t *testing.T) {
	build := func(schema.Env) (envs.Env, error) { return corridor().Env() }
	good := envs.RegisteredEnv{Name: "test.example/corridor", Version: 1, Build: build,
		Parameters:     []envs.Parameter{{Name: "cells", Default: 5, Min: 1, Max: 9}},
		TextParameters: []envs.TextParameter{{Name: "light", Default: "on", Values: []string{"on", "off"}}}}
	for name, change := range map[string]func(*envs.RegisteredEnv){
		"a name of podtrack":  func(e *envs.RegisteredEnv) { e.Name = "grid" },
		"no owner":            func(e *envs.RegisteredEnv) { e.Name = "corridor" },
		"upper case":          func(e *envs.RegisteredEnv) { e.Name = "Test/corridor" },
		"two slashes":         func(e *envs.RegisteredEnv) { e.Name = "test//corridor" },
		"a long name":         func(e *envs.RegisteredEnv) { e.Name = "test/" + strings.Repeat("x", 100) },
		"version 0":           func(e *envs.RegisteredEnv) { e.Version = 0 },
		"no Build":            func(e *envs.RegisteredEnv) { e.Build = nil },
		"a field of specs":    func(e *envs.RegisteredEnv) { e.Parameters[0].Name = "kappa" },
		"a measure":           func(e *envs.RegisteredEnv) { e.Parameters[0].Name = "purposes" },
		"a newer field":       func(e *envs.RegisteredEnv) { e.Parameters[0].Name = "sides" },
		"a parameter's name":  func(e *envs.RegisteredEnv) { e.Parameters[0].Name = "Cells" },
		"the same twice":      func(e *envs.RegisteredEnv) { e.Parameters[0].Name = "light" },
		"a default too large": func(e *envs.RegisteredEnv) { e.Parameters[0].Default = 10 },
		"a default of none":   func(e *envs.RegisteredEnv) { e.TextParameters[0].Default = "dim" },
	} {
		e := good
		e.Parameters, e.TextParameters = []envs.Parameter{good.Parameters[0]}, []envs.TextParameter{good.TextParameters[0]}
		change(&e)
		if err := envs.RegisterEnv(e); !errors.Is(err, schema.ErrSpec) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := envs.DefaultEnv(good.Name); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
		t.Errorf("before it is registered: %v with remedy %q", err, schema.Remedy(err))
	}
	if err := envs.RegisterEnv(good); err != nil {
		t.Fatal(err)
	}
	if err := envs.RegisterEnv(good); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
		t.Errorf("registered twice: %v with remedy %q", err, schema.Remedy(err))
	}
	e, err := envs.DefaultEnv(good.Name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := envs.NewEnv(e); err != nil {
		t.Error(err)
	}
	e.Version = 2
	if _, err := envs.NewEnv(e); !errors.Is(err, schema.ErrSpec) || !strings.Contains(err.Error(), "version 1 of") {
		t.Errorf("another version: %v", err)
	}
	e.Version, e.Params["cells"] = 1, 10
	if _, err := envs.NewEnv(e); !errors.Is(err, schema.ErrSpec) {
		t.Errorf("a parameter out of its bounds: %v", err)
	}
}
