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
