package replay_test

import (
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

// TestWithoutPolicy: the policy is kept where a limit may cut a call short, and is left out otherwise.
func TestWithoutPolicy(t *testing.T) {
	env, err := envs.NewEnv(pod.PaperSpec().Env)
	if err != nil {
		t.Fatal(err)
	}
	o := &schema.Option{Policy: make([]int8, env.States()), Certificate: schema.Certificate{Longest: 7}}
	if got := recorded.WithoutPolicy(env, o); got.Policy != nil || got.Certificate != o.Certificate {
		t.Errorf("%d states, %+v", len(got.Policy), got.Certificate)
	}
	o.Certificate.MaxSteps = 5
	if got := recorded.WithoutPolicy(env, o); got != o {
		t.Error("the policy of an option with a limit was left out")
	}
}
