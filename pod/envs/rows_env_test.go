package envs_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

func rowsEnv(features int64) schema.Env {
	return schema.Env{Name: "rows", Version: 1, Params: map[string]int64{"features": features}}
}

func TestRowsEnv(t *testing.T) {
	env, err := envs.NewEnv(rowsEnv(3))
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"f0", "f1", "f2"}, env.Features()); diff != "" {
		t.Errorf("features (-want +got):\n%s", diff)
	}
	if envs.HasActions(env) || len(env.Actions()) > 0 || envs.HasModel(env) {
		t.Error("somebody can walk among rows")
	}
	ring, err := envs.NewEnv(pod.PaperSpec().Env)
	if err != nil || !envs.HasActions(ring) {
		t.Errorf("nobody can walk on the ring: %v", err)
	}
}

// TestAddRows: a recorded D is factored as it is, and nothing else is measured.
func TestAddRows(t *testing.T) {
	env, err := envs.NewEnv(rowsEnv(2))
	if err != nil {
		t.Fatal(err)
	}
	rows := &schema.Rows{Dims: 2, Total: 5, Rows: []float64{0, 4, 3, 0}, Counts: []int64{1, 4}}
	stats := collect.NewTransitionStats(env, collect.OptionSet{}, envs.StartState(env))
	if err := stats.AddRows(rows); err != nil {
		t.Fatal(err)
	}
	f, err := linalg.Factor(context.Background(), linalg.Reduced, stats.Dataset())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]float64{6, 4}, f.Sigma); diff != "" || f.Total != 5 || stats.Steps() != 5 {
		t.Errorf("σ (-want +got):\n%s of %d rows in %d steps", diff, f.Total, stats.Steps())
	}
	if diff := cmp.Diff(schema.Measures{Purposes: 2}, stats.Measures(2, 0)); diff != "" {
		t.Errorf("measures (-want +got):\n%s", diff)
	}
	if err := stats.AddRows(rows); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("given twice: %v", err)
	}
}

// TestAddRowsRefuses: rows of other features, rows in an environment with actions, and steps in one without.
func TestAddRowsRefuses(t *testing.T) {
	one := &schema.Rows{Dims: 1, Total: 1, Rows: []float64{1}, Counts: []int64{1}}
	for _, e := range []schema.Env{rowsEnv(2), {Name: "ring", Version: 1,
		Params: map[string]int64{"bits": 1, "hide": 0}}} {
		env, err := envs.NewEnv(e)
		if err != nil {
			t.Fatal(err)
		}
		if err := collect.NewTransitionStats(env, collect.OptionSet{}, 0).AddRows(one); !errors.Is(err, wire.ErrMalformed) {
			t.Errorf("%s: %v, want ErrMalformed", e.Name, err)
		}
	}
	env, err := envs.NewEnv(rowsEnv(1))
	if err != nil {
		t.Fatal(err)
	}
	steps := &schema.Transitions{Arity: 1, Actions: []uint8{0},
		Spans: []schema.Span{{Steps: 1, Option: schema.Primitive}}}
	if err := collect.NewTransitionStats(env, collect.OptionSet{}, 0).Add(steps); !errors.Is(err, wire.ErrMalformed) {
		t.Errorf("%v, want ErrMalformed", err)
	}
}
