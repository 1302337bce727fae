package pod_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// TestPaper: the paper's experiment (Section 4) is a valid spec, with parameters
// of its own each time.
func TestPaper(t *testing.T) {
	want := schema.Spec{
		Numerics: 2, Env: schema.Env{Name: "ring", Version: 1, Params: map[string]int64{"bits": 12, "hide": 0}},
		Steps: 1000, Kappa: 1, Gamma: 0.99, Sweeps: 100, Tolerance: 1e-9,
		Basis: "right-singular", Dataset: "iteration", Select: "threshold", Learner: "sweeps",
	}
	first := pod.PaperSpec()
	if diff := cmp.Diff(want, first); diff != "" {
		t.Errorf("spec (-want +got):\n%s", diff)
	}
	if err := first.Validate(); err != nil {
		t.Error(err)
	}
	if got := first.Reading(); got != "as-written" {
		t.Errorf("reading %s", got)
	}
	first.Env.Params["bits"] = 3
	if diff := cmp.Diff(want, pod.PaperSpec()); diff != "" {
		t.Errorf("after a change to the one before (-want +got):\n%s", diff)
	}
	if pod.PaperIterations != 6 {
		t.Errorf("%d iterations", pod.PaperIterations)
	}
}

// TestTabular compares the view of states with what a one-hot grid says of itself, and with the parts of an environment
// that it must not hide.
func TestTabular(t *testing.T) {
	spec := pod.PaperSpec()
	spec.Env, spec.Method = schema.Env{}, schema.Laplacian
	for name, observe := range map[string]string{"binary": envs.RowAndColumn, "one-hot": envs.OneHot} {
		e, err := envs.DefaultEnv("grid")
		if err != nil {
			t.Fatal(err)
		}
		oneHot := podtest.Simulated(t, e)
		e.Text["observe"] = observe
		spec.Env = e
		env, err := pod.NewEnvForSpec(spec)
		if err != nil {
			t.Fatal(err)
		}
		if got, want := fmt.Sprint(env.Features()), fmt.Sprint(oneHot.Features()); got != want {
			t.Errorf("%s: features %s", name, got)
		}
		if _, ok := envs.As[envs.Metric](env); !ok {
			t.Errorf("%s: no distance", name)
		}
		if _, ok := envs.As[*envs.Ring](env); ok {
			t.Errorf("%s: a line", name)
		}
		view, want := envs.RowClassesOf(env.(envs.SteppableEnv)), envs.RowClassesOf(oneHot)
		for row := range want.RowClasses() {
			a, b := view.RowDifference(row), want.RowDifference(row)
			if !slices.Equal(a, b) {
				t.Fatalf("%s: row %d is %v, want %v", name, row, a, b)
			}
		}
	}
}

// TestMethodsOnStates: too many states, or none, are refused by methods on states alone.
func TestMethodsOnStates(t *testing.T) {
	for _, name := range []string{"ring", envs.RowsName} {
		spec := pod.PaperSpec()
		spec.Method = schema.Successor
		spec.Env, _ = envs.DefaultEnv(name)
		if _, err := pod.NewEnvForSpec(spec); err == nil || schema.Remedy(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
		spec.Method = ""
		if _, err := pod.NewEnvForSpec(spec); err != nil {
			t.Errorf("%s, method pod: %v", name, err)
		}
	}
}
