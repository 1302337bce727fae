package external

import (
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

var helloReward = strings.Replace(hello, `"protocol"`, `"reward":true,"protocol"`, 1)

// TestReward goes through the steps of an environment with a reward.
func TestReward(t *testing.T) {
	w, _ := enter(t, speaking(t, helloReward,
		`{"id":ID,"observation":"10"}`,
		`{"id":ID,"observation":"11","reward":-1,"terminated":false,"truncated":false}`,
		`{"id":ID,"observation":"10","reward":-0.0,"terminated":false,"truncated":false}`,
		`{"id":ID,"observation":"10","reward":1.7976931348623157e308,"terminated":true,"truncated":false}`,
		`{"id":ID,"observation":"00"}`))
	if _, err := w.Reset(t.Context()); err != nil {
		t.Fatal(err)
	}
	for i, want := range []envs.StepResult{{State: 1, Reward: -1}, {State: 0},
		{State: 0, End: envs.Terminated, NextStart: 2, Reward: math.MaxFloat64}} {
		if o, err := w.Step(t.Context(), 0); o != want || math.Signbit(o.Reward) != (want.Reward < 0) || err != nil {
			t.Errorf("step %d: %+v, %v, want %+v", i, o, err, want)
		}
	}
}

// TestWrongReward: a reward that cannot be recorded, or that was not declared, is an error that says so.
func TestWrongReward(t *testing.T) {
	const step = `{"id":ID,"observation":"11","terminated":false,"truncated":false}`
	for name, c := range map[string]struct{ hello, reset, step, want string }{
		"missing": {helloReward, "", step, "no reward, but"},
		"null":    {helloReward, "", strings.Replace(step, `"obs`, `"reward":null,"obs`, 1), "is not a finite number"},
		"a text":  {helloReward, "", strings.Replace(step, `"obs`, `"reward":"1","obs`, 1), "is not a finite number"},
		"true":    {helloReward, "", strings.Replace(step, `"obs`, `"reward":true,"obs`, 1), "is not a finite number"},
		"large":   {helloReward, "", strings.Replace(step, `"obs`, `"reward":1e999,"obs`, 1), "not a finite number"},
		"NaN":     {helloReward, "", strings.Replace(step, `"obs`, `"reward":NaN,"obs`, 1), "not finite"},
		"not declared": {hello, "", strings.Replace(step, `"obs`, `"reward":1,"obs`, 1),
			"does not declare a reward"},
		"null, not declared": {hello, "", strings.Replace(step, `"obs`, `"reward":null,"obs`, 1),
			"does not declare a reward"},
		"of a reset": {helloReward, `{"id":ID,"observation":"10","reward":0}`, "", "an answer to a reset"},
	} {
		reset := c.reset
		if reset == "" {
			reset = `{"id":ID,"observation":"10"}`
		}
		w, seen := enter(t, speaking(t, c.hello, reset, c.step))
		_, err := w.Reset(t.Context())
		if c.reset == "" && err == nil {
			_, err = w.Step(t.Context(), 0)
		}
		if !errors.Is(err, envs.ErrEnvFailed) || !strings.Contains(err.Error(), c.want) || schema.Remedy(err) == "" {
			t.Errorf("%s: %v with remedy %q", name, err, schema.Remedy(err))
		}
		if n := seen.States(); n > 1 {
			t.Errorf("%s: %d states were seen", name, n)
		}
	}
	for _, said := range []string{"1", `"true"`, "null", "{}"} {
		_, err := speaking(t, strings.Replace(helloReward, "true", said, 1)).queryEnv(t.Context())
		if !errors.Is(err, envs.ErrEnvFailed) || !strings.Contains(err.Error(), "reward") {
			t.Errorf("hello with the reward %s: %v", said, err)
		}
	}
}

// TestRewardIsDeclared: a run with rewards needs a program that declares them.
func TestRewardIsDeclared(t *testing.T) {
	env, err := speaking(t, helloReward).queryEnv(t.Context())
	if err != nil || !env.HasReward() {
		t.Fatal(env, err)
	}
	err = NewProgram(speaking(t, hello)).CheckEnv(t.Context(), env)
	if !errors.Is(err, envs.ErrEnvMismatch) || !strings.Contains(err.Error(), "reward false, not true") {
		t.Error(err)
	}
}
