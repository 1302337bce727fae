package pod_test

import (
	"errors"
	"maps"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/podtrack/podtrack/pod"
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
		{"the smallest", schema.Env{Name: "ring", Version: 1, Params: params(1, 0)}, true},
		{"the largest", schema.Env{Name: "ring", Version: 1, Params: params(28, 27)}, true},
		{"one bit visible", schema.Env{Name: "ring", Version: 1, Params: params(12, 11)}, true},
		{"no bit visible", schema.Env{Name: "ring", Version: 1, Params: params(12, 12)}, false},
		{"more hidden than there are", schema.Env{Name: "ring", Version: 1, Params: params(3, 5)}, false},
		{"no bits", schema.Env{Name: "ring", Version: 1, Params: params(0, 0)}, false},
		{"negative bits", schema.Env{Name: "ring", Version: 1, Params: params(-1, 0)}, false},
		{"too many bits", schema.Env{Name: "ring", Version: 1, Params: params(29, 0)}, false},
		{"most bits", schema.Env{Name: "ring", Version: 1, Params: params(math.MaxInt64, 0)}, false},
		{"negative hide", schema.Env{Name: "ring", Version: 1, Params: params(12, -1)}, false},
		{"least hide", schema.Env{Name: "ring", Version: 1, Params: params(12, math.MinInt64)}, false},
		{"no parameters", schema.Env{Name: "ring", Version: 1}, false},
		{"one missing", schema.Env{Name: "ring", Version: 1, Params: map[string]int64{"bits": 12}}, false},
		{"one by another name", schema.Env{Name: "ring", Version: 1, Params: map[string]int64{"bits": 12, "Hide": 0}},
			false},
		{"version 0", schema.Env{Name: "ring", Version: 0, Params: params(12, 0)}, false},
		{"version 2", schema.Env{Name: "ring", Version: 2, Params: params(12, 0)}, false},
		{"unknown", schema.Env{Name: "torus", Version: 1, Params: params(12, 0)}, false},
		{"in capitals", schema.Env{Name: "Ring", Version: 1, Params: params(12, 0)}, false},
		{"nothing", schema.Env{}, false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			before := maps.Clone(tt.env.Params)
			env, err := pod.NewEnv(tt.env)
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

// TestMoreParameters: what an environment does not read would make two IDs of
// one run.
func TestMoreParameters(t *testing.T) {
	e, err := pod.DefaultEnv("ring")
	if err != nil {
		t.Fatal(err)
	}
	e.Params["rows"] = 3
	if env, err := pod.NewEnv(e); env != nil || !errors.Is(err, schema.ErrSpec) {
		t.Errorf("%v, %v; want ErrSpec", env, err)
	}
}

func TestDefaultEnv(t *testing.T) {
	for _, b := range pod.RegisteredEnvs() {
		e, err := pod.DefaultEnv(b.Name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := pod.NewEnv(e); err != nil {
			t.Errorf("%s: %v", b.Name, err)
		}
	}
	got, err := pod.DefaultEnv("ring")
	want := schema.Env{Name: "ring", Version: 1, Params: map[string]int64{"bits": 12, "hide": 0}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Errorf("%v (-want +got):\n%s", err, diff)
	}
	if _, err := pod.DefaultEnv("torus"); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
		t.Errorf("%v with remedy %q, want ErrSpec with one", err, schema.Remedy(err))
	}
}

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
