package pod_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// perStep reports the time of each of n steps that an iteration of b took.
func perStep(b *testing.B, n int) {
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/step")
}

// BenchmarkCollectLong walks 2²⁰ primitive steps, a whole chunk, in the memory of
// the chunk before.
func BenchmarkCollectLong(b *testing.B) {
	s := prepare(b, "as-written")
	c := pod.Collector{Env: s.env, Stream: pod.NewStream(0, 0, pod.WalkStream), Executing: schema.Primitive}
	chunk := schema.Transitions{Arity: 2}
	for b.Loop() {
		chunk.Actions, chunk.Spans = chunk.Actions[:0], nil
		_ = c.Collect(context.Background(), &chunk, schema.ChunkSteps)
	}
	perStep(b, schema.ChunkSteps)
}

// BenchmarkTransitionStatsLong counts what such a walk did.
func BenchmarkTransitionStatsLong(b *testing.B) {
	s := prepare(b, "as-written")
	s.options = nil
	chunk := s.walk(schema.ChunkSteps)
	for b.Loop() {
		t := pod.NewTransitionStats(s.env, pod.OptionSet{}, 0)
		if err := t.Add(&chunk); err != nil {
			b.Fatal(err)
		}
	}
	perStep(b, schema.ChunkSteps)
}

func BenchmarkMerge(b *testing.B) {
	s := prepare(b, "as-published")
	for b.Loop() {
		s.data.Merge(s.data)
	}
}

func BenchmarkSelect(b *testing.B) {
	for _, reading := range bothReadings {
		b.Run(reading, func(b *testing.B) {
			s := prepare(b, reading)
			for b.Loop() {
				pod.SelectPurposes(s.spec, 0, s.factors)
			}
		})
	}
}

func BenchmarkMeasure(b *testing.B) {
	s := prepare(b, "as-written")
	t := pod.NewTransitionStats(s.env, pod.OptionSet{Options: s.options}, 0)
	if err := t.Add(&s.chunk); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		t.Measures(len(s.purposes)/2, len(s.purposes))
	}
}

// BenchmarkConclude makes options of value tables, as a resumed run does.
func BenchmarkConclude(b *testing.B) {
	s := prepare(b, "as-written")
	learner := pod.NewModelLearner(s.env, s.spec)
	_, v, err := learner.Learn(context.Background(), s.purposes[0])
	if err != nil {
		b.Fatal(err)
	}
	v = append(schema.Value(nil), v...)
	for b.Loop() {
		if _, err := learner.Conclude(s.purposes[0], v); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkLearnTable1 learns all purposes of the first seeds of Table 1's four
// settings, an operation being all of them. backups/s are those that full sweeps
// would make: states × actions × sweeps of each purpose.
func BenchmarkLearnTable1(b *testing.B) {
	type task struct {
		learner  *pod.ModelLearner
		purposes []schema.Purpose
	}
	var tasks []task
	backups := 0.0
	for _, reading := range bothReadings {
		for _, hide := range []int64{0, 3} {
			for seed := range uint64(3) {
				spec := setting(b, reading, hide, seed)
				env, err := pod.NewSimulated(spec.Env)
				if err != nil {
					b.Fatal(err)
				}
				simulate(b, spec, pod.PaperIterations,
					func(_ int, f schema.Factors, _ schema.Measures, _ []*schema.Option) {
						purposes := pod.SelectPurposes(spec, 0, f)
						tasks = append(tasks, task{pod.NewModelLearner(env, spec), purposes})
						backups += float64(len(purposes)*env.Model().States*env.Model().Actions) * float64(spec.Sweeps)
					})
			}
		}
	}
	for b.Loop() {
		for _, t := range tasks {
			for _, p := range t.purposes {
				if _, _, err := t.learner.Learn(context.Background(), p); err != nil {
					b.Fatal(err)
				}
			}
		}
	}
	b.ReportMetric(backups*float64(b.N)/b.Elapsed().Seconds(), "backups/s")
}

// BenchmarkLearnStates learns the purpose of the largest σ on rings that grow.
func BenchmarkLearnStates(b *testing.B) {
	for _, bits := range []int64{12, 17, 22} {
		b.Run(fmt.Sprintf("bits=%d", bits), func(b *testing.B) {
			spec := pod.PaperSpec()
			spec.Env.Params["bits"] = bits
			env, err := pod.NewSimulated(spec.Env)
			if err != nil {
				b.Fatal(err)
			}
			p := schema.Purpose{J: 1, Sign: 1, Sigma: 2, Vector: make([]float64, bits)}
			for i := range p.Vector {
				p.Vector[i] = 1 / float64(i+2)
			}
			learner := pod.NewModelLearner(env, spec)
			for b.Loop() {
				if _, _, err := learner.Learn(context.Background(), p); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(env.Model().States), "ns/state")
		})
	}
}

// BenchmarkLabelSetting is label setting in place of 100 sweeps.
func BenchmarkLabelSetting(b *testing.B) {
	s := prepare(b, "as-written")
	s.spec.Learner, s.spec.Sweeps = schema.Exact, 0
	learner := pod.NewModelLearner(s.env, s.spec)
	for i := 0; b.Loop(); i++ {
		if _, _, err := learner.Learn(context.Background(), s.purposes[i%len(s.purposes)]); err != nil {
			b.Fatal(err)
		}
	}
}
