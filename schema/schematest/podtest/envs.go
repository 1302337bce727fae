// Package podtest is podtrack's own: it has environments and data for the tests of several packages below pod.
package podtest

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// tb is the part of a test that helpers need, of package testing or of rapid.
type tb interface {
	Helper()
	Fatal(args ...any)
}

// Simulated returns the environment that e names, which is one that is simulated.
func Simulated(t tb, e schema.Env) envs.SimulatedEnv {
	t.Helper()
	env, err := envs.NewEnv(e)
	schematest.Must(t, err)
	simulated, ok := envs.As[envs.SimulatedEnv](env)
	if !ok {
		t.Fatal("not simulated: ", e.Name)
	}
	return simulated
}

// Ring returns a ring of 2^bits states with hide hidden bits.
func Ring(t tb, bits, hide int) envs.SimulatedEnv {
	t.Helper()
	return Simulated(t, schema.Env{Name: "ring", Version: 1,
		Params: map[string]int64{"bits": int64(bits), "hide": int64(hide)}})
}

// OpenThree is a map of nine free cells.
const OpenThree = "3,3\n..G\n...\nS..\n"

// Grid returns a grid with a built-in map, or with the map in a text.
func Grid(t tb, text string, slip int64) envs.SimulatedEnv {
	t.Helper()
	e, err := envs.DefaultEnv("grid")
	schematest.Must(t, err)
	e.Text[envs.MapParameter], e.Params["slip"] = text, slip
	return Simulated(t, e)
}

// PaperSpec returns what pod.PaperSpec returns, for the tests of packages that pod imports.
func PaperSpec() schema.Spec {
	return schema.Spec{
		Numerics: schema.NumericsVersion,
		Env:      schema.Env{Name: "ring", Version: 1, Params: map[string]int64{"bits": 12, "hide": 0}},
		Steps:    1000, Kappa: 1, Gamma: 0.99, Sweeps: 100, Tolerance: 1e-9,
		Basis: schema.RightSingular, Dataset: schema.PerIteration, Select: schema.Threshold, Learner: schema.Sweeps,
	}
}
