package envs_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

func TestNewEnv(t *testing.T) {
	params := func(bits, hide int64) map[string]int64 { return map[string]int64{"bits": bits, "hide": hide} }
	tests := []struct {
		name string
		env  schema.Env
		ok   bool
	}{
		{"the paper's", schema.Env{Name: "ring", Version: 1, Params: params(12, 0)}, true},
		{"more hidden than there are", schema.Env{Name: "ring", Version: 1, Params: params(3, 5)}, false},
		{"no parameters", schema.Env{Name: "ring", Version: 1}, false},
		{"version 0", schema.Env{Name: "ring", Version: 0, Params: params(12, 0)}, false},
		{"version 2", schema.Env{Name: "ring", Version: 2, Params: params(12, 0)}, false},
		{"unknown", schema.Env{Name: "torus", Version: 1, Params: params(12, 0)}, false},
		{"in capitals", schema.Env{Name: "Ring", Version: 1, Params: params(12, 0)}, false},
		{"nothing", schema.Env{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := maps.Clone(tt.env.Params)
			env, err := envs.NewEnv(tt.env)
			if tt.ok && (err != nil || len(env.Features()) != int(tt.env.Params["bits"]-tt.env.Params["hide"])) {
				t.Errorf("%v, %v", env, err)
			}
			if !tt.ok && (env != nil || !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "") {
				t.Errorf("%v, %v with remedy %q, want ErrSpec with one", env, err, schema.Remedy(err))
			}
			if diff := cmp.Diff(before, tt.env.Params); diff != "" {
				t.Errorf("parameters changed (-before +after):\n%s", diff)
			}
		})
	}
}

// everyEnv returns each environment of podtrack that is simulated, of up to 4096 states, by its name and
// parameters: with its defaults, at each bound of a number, and with each word of a text. With them are
// views whose features are not their own.
func everyEnv(t rapid.TB) map[string]envs.SimulatedEnv {
	t.Helper()
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Method = 6, schema.Laplacian
	states, err := pod.NewEnvForSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]envs.SimulatedEnv{"states": states.(envs.SimulatedEnv), "partial ring": ring(t, 6, 2)}
	for _, b := range ownEnvs() {
		for _, e := range variants(t, b) {
			if env, err := envs.NewSimulated(e); err == nil && env.States() <= 4096 {
				all[fmt.Sprint(e.Name, e.Params, e.Text)] = env
			}
		}
	}
	return all
}

// ownEnvs returns the environments of podtrack, without those that tests register.
func ownEnvs() []envs.RegisteredEnv {
	return slices.DeleteFunc(envs.RegisteredEnvs(),
		func(e envs.RegisteredEnv) bool { return strings.Contains(e.Name, "/") })
}

// variants returns an environment with its defaults, and with one parameter at a time at a bound, or with
// another word.
func variants(t rapid.TB, b envs.RegisteredEnv) []schema.Env {
	t.Helper()
	e, err := envs.DefaultEnv(b.Name)
	if err != nil {
		t.Fatal(err)
	}
	all := []schema.Env{e}
	for _, p := range b.Parameters {
		for _, x := range []int64{p.Min, p.Max} {
			other := e.Clone()
			other.Params[p.Name] = x
			all = append(all, other)
		}
	}
	for _, p := range b.TextParameters {
		for _, word := range p.Values {
			other := e.Clone()
			other.Text[p.Name] = word
			all = append(all, other)
		}
	}
	return all
}

// TestEnvs checks what every environment must fulfil: what [CheckEnv] checks, names that differ, classes of rows with
// φ(s') − φ(s), and distances of which none grows by more than the steps taken.
func TestEnvs(t *testing.T) {
	lines := 0
	for name, env := range everyEnv(t) {
		t.Run(name, func(t *testing.T) {
			if err := envs.CheckEnv(t.Context(), env); err != nil {
				t.Fatal(err)
			}
			for what, names := range map[string][]string{"actions": env.Actions(), "features": env.Features()} {
				if len(slices.Compact(slices.Sorted(slices.Values(names)))) != len(names) {
					t.Errorf("two %s have one name: %q", what, names)
				}
			}
			checkRowClasses(t, env)
			checkLine(t, env)
			checkDistances(t, env)
		})
		if _, ok := envs.As[*envs.Ring](env); ok {
			lines++
		}
	}
	if lines == 0 {
		t.Error("no environment is a line")
	}
}

func checkRowClasses(t *testing.T, env envs.SimulatedEnv) {
	want := make([]float64, len(env.Features()))
	classes := envs.RowClassesOf(env)
	for s := range env.States() {
		for a := range env.Actions() {
			row := classes.RowDifference(classes.RowClass(s, a))
			envs.FeatureDifference(env, s, env.Step(s, a), want)
			if diff := cmp.Diff(schema.NewSparseRow(want), row, cmpopts.EquateEmpty()); diff != "" {
				t.Fatalf("row of state %d, action %d (-want +got):\n%s", s, a, diff)
			}
		}
	}
}

// checkLine checks that an action moves by the same steps from every state of a line.
func checkLine(t *testing.T, env envs.SimulatedEnv) {
	line, ok := envs.As[*envs.Ring](env)
	for s := 0; ok && s < env.States(); s++ {
		for a := range env.Actions() {
			if moved := int64(env.Step(s, a)-s) - line.Offset(a); moved%int64(env.States()) != 0 {
				t.Fatalf("action %d moves from %d to %d, and not by %d", a, s, env.Step(s, a), line.Offset(a))
			}
		}
	}
}

// checkDistances checks that a move that does what was intended leads at most one step farther from the start.
func checkDistances(t *testing.T, env envs.SimulatedEnv) {
	metric, ok := envs.As[envs.Metric](env)
	if !ok {
		return
	}
	d := metric.Distances(env.Start())
	if d[env.Start()] != 0 {
		t.Errorf("the start is %d from itself", d[env.Start()])
	}
	for s := range env.States() {
		for a := range env.Actions() {
			if n := env.Step(s, a); d[s] != envs.Never && (d[n] == envs.Never || d[n] > d[s]+1) {
				t.Fatalf("state %d is %d from the start, and %d, one step on, %d", s, d[s], n, d[n])
			}
		}
	}
}

// TestDefinitions: each environment says what it is, its defaults can be run, and a parameter that is
// missing, too many, out of its bounds or no word of its own is refused, with a remedy.
func TestDefinitions(t *testing.T) {
	for _, b := range ownEnvs() {
		e, err := envs.DefaultEnv(b.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := envs.NewEnv(e); err != nil || b.Usage == "" || b.States == "" {
			t.Errorf("%s: usage %q, states %q, by default %v", b.Name, b.Usage, b.States, err)
		}
		refused := func(what string, change func(schema.Env)) {
			other := e.Clone()
			if other.Text == nil {
				other.Text = map[string]string{}
			}
			change(other)
			if env, err := envs.NewEnv(other); env != nil || !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
				t.Errorf("%s, %s: %v with remedy %q, want ErrSpec with one", b.Name, what, err, schema.Remedy(err))
			}
		}
		refused("one more number", func(e schema.Env) { e.Params["more"] = 3 })
		refused("one more text", func(e schema.Env) { e.Text["more"] = "3" })
		for _, p := range b.Parameters {
			refused(p.Name+" left out", func(e schema.Env) { delete(e.Params, p.Name) })
			for _, x := range []int64{p.Min - 1, p.Max + 1, math.MinInt64, math.MaxInt64} {
				refused(fmt.Sprint(p.Name, x), func(e schema.Env) { e.Params[p.Name] = x })
			}
		}
		for _, p := range b.TextParameters {
			refused(p.Name+" left out", func(e schema.Env) { delete(e.Text, p.Name) })
			refused(p.Name+" of another word", func(e schema.Env) { e.Text[p.Name] = "neither" })
		}
	}
	if _, err := envs.DefaultEnv("torus"); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
		t.Errorf("%v with remedy %q, want ErrSpec with one", err, schema.Remedy(err))
	}
}

// TestEnvNames: lists begin with the paper's environment and end with that in which no agent acts.
func TestEnvNames(t *testing.T) {
	names := envs.EnvNames()
	names = names[:len(ownEnvs())]
	last := len(names) - 1
	if names[0] != pod.PaperSpec().Env.Name || names[last] != envs.RowsName || !slices.IsSorted(names[1:last]) {
		t.Errorf("%q", names)
	}
}
