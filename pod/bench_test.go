package pod_test

import (
	"context"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// stages is a run's last iteration, cut open for the benchmarks below.
type stages struct {
	spec     schema.Spec
	env      pod.SimulatedEnv
	options  []*schema.Option
	chunk    schema.Transitions
	data     pod.Dataset
	factors  schema.Factors
	purposes []schema.Purpose
}

func prepare(b *testing.B, reading string) stages {
	b.Helper()
	s := stages{spec: setting(b, reading, 0, 0)}
	env, err := pod.NewSimulated(s.spec.Env)
	if err != nil {
		b.Fatal(err)
	}
	s.env = env
	simulate(b, s.spec, 5, func(_ int, f schema.Factors, _ schema.Measures, options []*schema.Option) {
		s.factors = f
		s.options = append(s.options, options...)
	})
	s.data = pod.DatasetFromFactors(s.factors)
	s.purposes = pod.SelectPurposes(s.spec, 0, s.factors)
	s.chunk = s.walk(1000)
	return s
}

func (s stages) walk(n int) schema.Transitions {
	c := pod.Collector{Env: s.env, Options: pod.OptionSet{Options: s.options},
		Stream: pod.NewStream(0, 5, pod.WalkStream), State: 0, Executing: schema.Primitive}
	chunk := schema.Transitions{Start: 0, Arity: 2}
	_ = c.Collect(context.Background(), &chunk, n)
	return chunk
}
