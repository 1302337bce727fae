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

var bothReadings = schema.Readings()

func BenchmarkCollect(b *testing.B) {
	b.Run("primitive", func(b *testing.B) {
		s := prepare(b, "as-written")
		s.options = nil
		for b.Loop() {
			s.walk(1000)
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/step")
	})
	for _, reading := range bothReadings {
		b.Run(reading, func(b *testing.B) {
			s := prepare(b, reading)
			for b.Loop() {
				s.walk(1000)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/1000, "ns/step")
		})
	}
}

func BenchmarkTransitionStats(b *testing.B) {
	s := prepare(b, "as-written")
	for b.Loop() {
		t := pod.NewTransitionStats(s.env, pod.OptionSet{Options: s.options}, 0)
		if err := t.Add(&s.chunk); err != nil {
			b.Fatal(err)
		}
		t.Dataset()
	}
}

func BenchmarkFactor(b *testing.B) {
	s := prepare(b, "as-written")
	for b.Loop() {
		if _, err := pod.Factor(context.Background(), pod.Reduced, s.data); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkLearn(b *testing.B) {
	for _, reading := range bothReadings {
		b.Run(reading, func(b *testing.B) {
			s := prepare(b, reading)
			learner := pod.NewModelLearner(s.env, s.spec)
			i := 0
			for b.Loop() {
				if _, _, err := learner.Learn(context.Background(), s.purposes[i%len(s.purposes)]); err != nil {
					b.Fatal(err)
				}
				i++
			}
		})
	}
}
