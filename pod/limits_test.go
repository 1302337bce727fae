package pod

import (
	"fmt"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// TestLimits: what a limit allows is accepted, and one more is refused. Large slices here are never written, so they
// take no memory.
func TestLimits(t *testing.T) {
	tabular := func(n int) error {
		spec := PaperSpec()
		spec.Method = schema.Successor
		spec.Env, _ = envs.DefaultEnv("grid")
		m, err := envs.ReadMap(fmt.Appendf(nil, "1,%d\n%s", n, strings.Repeat(".", n)))
		if err == nil {
			spec.Env.Text[envs.MapParameter] = m.String()
			_, err = NewEnvForSpec(spec)
		}
		return err
	}
	visited := func(bits int64) error {
		spec := PaperSpec()
		spec.Method, spec.StateSet, spec.Env.Params["bits"] = schema.Laplacian, schema.VisitedStates, bits
		_, err := NewEnvForSpec(spec)
		return err
	}
	schematest.Limits{
		{"states of an environment of a method", "for each state, of at most 1048576", visited(20), visited(21)},
		{"states of a method", "of at most 2048", tabular(2048), tabular(2049)},
	}.Check(t)
}

// TestMethodOnRowsWithoutTransitions: a program that asks for transitions is refused where nothing acts.
func TestMethodOnRowsWithoutTransitions(t *testing.T) {
	spec := PaperSpec()
	spec.Env = schema.Env{Name: "rows", Version: 1, Params: map[string]int64{"features": 3}}
	spec.Stages = &schema.Stages{Method: &schema.StageProgram{Name: "own", Version: "1", Input: schema.InputTransitions}}
	env, err := NewEnvForSpec(spec)
	if env != nil || err == nil || !strings.Contains(err.Error(), "asks for transitions") {
		t.Errorf("%v, %v", env, err)
	}
}

// TestClaimedNextState: where the action determines the next state, a claim of any other one is refused.
func TestClaimedNextState(t *testing.T) {
	env := podtest.Simulated(t, PaperSpec().Env)
	c := &stepChecker{env: env, steps: env, state: 5}
	for claimed := range 12 {
		s := collectedStep{action: 1, next: claimed}
		if err := c.checkNext(&s); (err == nil) != (claimed == 6) {
			t.Errorf("from 5 to %d: %v", claimed, err)
		}
	}
	if s := (collectedStep{action: 1, next: -1}); c.checkNext(&s) != nil || s.next != 6 {
		t.Errorf("the action leads from 5 to %d", s.next)
	}
}
