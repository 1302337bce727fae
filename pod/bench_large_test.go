package pod_test

import (
	"context"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/arcade"
)

// largeSteps is how many steps of a game the benchmarks below observe.
const largeSteps = 5000

// A largeWalk is a walk through observations that hardly ever recur.
type largeWalk struct {
	spec  schema.Spec
	env   envs.GrowingEnv
	chunk schema.Transitions
}

// walkArcade walks through the memory of a game, as 1024 bits or as 128 numbers.
func walkArcade(b *testing.B, kind schema.Observation) largeWalk {
	b.Helper()
	w := largeWalk{spec: pod.PaperSpec(), chunk: schema.Transitions{Arity: len(arcade.Actions), Next: []uint32{}}}
	declared := schema.External{Version: "1", Actions: arcade.Actions, Observes: kind, Size: arcade.Size}
	if kind == schema.Binary {
		declared.Size *= 8
	}
	declared.Features = make([]string, declared.Size)
	for i := range declared.Features {
		declared.Features[i] = "x" + string(rune('A'+i%26)) + string(rune('A'+i/26%26)) + string(rune('A'+i/676))
	}
	w.spec.Env = schema.Env{Name: "arcade", External: &declared}
	w.spec.Learner, w.spec.MaxOptionSteps, w.spec.Sweeps = schema.QLearning, 1000, 3
	env, err := envs.NewEnv(w.spec.Env)
	if err != nil {
		b.Fatal(err)
	}
	w.env = env.(envs.GrowingEnv)
	game, stream := arcade.New(0), rng.NewStream(0, 0, collect.WalkStream)
	w.intern(b, game)
	for i := range largeSteps {
		a := stream.Below(len(arcade.Actions))
		over := game.Step(a)
		w.chunk.Actions, w.chunk.Next = append(w.chunk.Actions, uint8(a)), append(w.chunk.Next, w.intern(b, game))
		if over {
			game.Reset()
			w.chunk.Episodes = append(w.chunk.Episodes, schema.Episode{Step: uint64(i + 1), Terminated: true,
				State: uint64(w.intern(b, game))})
		}
	}
	return w
}

func (l largeWalk) intern(b *testing.B, g *arcade.Game) uint32 {
	var observation []byte
	values := make([]float64, arcade.Size)
	for i, x := range g.RAM {
		values[i] = float64(x)
	}
	if observation = g.RAM[:]; l.spec.Env.External.Observes == schema.Real {
		observation = envs.AppendRealObservation(nil, values)
	}
	s, err := l.env.Observed().Intern(observation)
	if err != nil {
		b.Fatal(err)
	}
	return uint32(s)
}

// BenchmarkLargeObservations takes the stages of an iteration of 5000 steps of a game with much memory apart.
func BenchmarkLargeObservations(b *testing.B) {
	for _, kind := range []schema.Observation{schema.Binary, schema.Real} {
		w := walkArcade(b, kind)
		transitions := envs.CountTransitions(w.env, &w.chunk)
		data := transitions.Dataset(w.env)
		vector := make([]float64, data.Dims)
		for i := range vector {
			vector[i] = float64(i%7) - 3
		}
		purpose := schema.Purpose{J: 1, Sign: 1, Vector: vector}
		learn := func(b *testing.B, l schema.Learner) (o *schema.Option, theta schema.Theta) {
			spec := w.spec
			spec.Learner = l
			seen := learn.Experience{Transitions: transitions, FirstChunk: &w.chunk}
			learner, err := learn.NewOptionLearner(w.env, spec, seen)
			if err != nil {
				b.Fatal(err)
			}
			o, learned, err := learner.Learn(context.Background(), purpose)
			if err != nil {
				b.Fatal(err)
			}
			return o, learned.(schema.Theta)
		}
		stages := []struct {
			name string
			run  func(b *testing.B)
		}{
			{"dataset", func(*testing.B) { transitions.Dataset(w.env) }},
			{"factor", func(b *testing.B) {
				if _, err := linalg.Factor(context.Background(), pod.FactoringOf(w.env, w.spec), data); err != nil {
					b.Fatal(err)
				}
			}},
			{"q-learning", func(b *testing.B) { learn(b, schema.QLearning) }},
		}
		for _, stage := range stages {
			b.Run(string(kind)+"/"+stage.name, func(b *testing.B) {
				defer schematest.MeasureProcessorTime(b)()
				for b.Loop() {
					stage.run(b)
				}
			})
		}
		b.Run(string(kind)+"/extend", func(b *testing.B) {
			o, theta := learn(b, schema.QLearning)
			defer schematest.MeasureProcessorTime(b)()
			for b.Loop() {
				o.Policy, o.Theta = nil, &theta
				w.env.ExtendPolicies([]*schema.Option{o})
			}
		})
	}
}
