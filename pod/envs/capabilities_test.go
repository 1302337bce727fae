package envs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// TestCapabilities: what each environment can do, and that what it cannot do is an error.
func TestCapabilities(t *testing.T) {
	rows, err := envs.NewEnv(rowsEnv(2))
	if err != nil {
		t.Fatal(err)
	}
	spec := pod.PaperSpec()
	spec.Method = schema.Laplacian
	spec.Env.Params["bits"] = 4
	states, err := pod.NewEnvForSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	type can struct{ step, model, grow, line, metric, end, determined bool }
	for name, c := range map[string]struct {
		env  envs.Env
		want can
	}{
		"ring":   {ring(t, 4, 0), can{step: true, model: true, line: true, determined: true}},
		"states": {states, can{step: true, model: true, line: true, determined: true}},
		"grid":   {gridOf(t, nil, nil), can{step: true, model: true, metric: true, determined: true}},
		"maze":   {mazeOf(t, "rooms", 9, 1), can{step: true, model: true, metric: true, determined: true}},
		"slips": {gridOf(t, map[string]int64{"slip": 100}, nil),
			can{step: true, model: true, metric: true}},
		"episodes": {gridOf(t, map[string]int64{"goal": 1}, nil),
			can{step: true, model: true, metric: true, end: true}},
		"external": {newExternal(t, schema.Discrete, 3), can{grow: true, end: true}},
		"rows":     {rows, can{determined: true}},
	} {
		var got can
		_, got.step = envs.As[envs.SteppableEnv](c.env)
		_, got.model = envs.As[envs.ModelEnv](c.env)
		_, got.grow = envs.As[envs.GrowingEnv](c.env)
		_, got.line = envs.As[*envs.Ring](c.env)
		_, got.metric = envs.As[envs.Metric](c.env)
		got.end, got.determined = envs.HasEpisodes(c.env), envs.ActionsDetermineStates(c.env)
		if got != c.want {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
		}
		if got.model {
			continue
		}
		if _, err := learn.NewOptionLearner(c.env, pod.PaperSpec(), learn.Experience{}); !errors.Is(err, envs.ErrModel) {
			t.Errorf("%s: a learner without a model: %v", name, err)
		}
		if err := envs.CheckEnv(t.Context(), c.env); !errors.Is(err, envs.ErrModel) {
			t.Errorf("%s: checked without a model: %v", name, err)
		}
		walker := collect.Collector{Env: c.env, Stream: rng.NewStream(0, 0, collect.WalkStream), Executing: schema.Primitive}
		if err := walker.Collect(context.Background(), &schema.Transitions{}, 1); !errors.Is(err, envs.ErrModel) {
			t.Errorf("%s: steps of an environment that is not running: %v", name, err)
		}
	}
}
