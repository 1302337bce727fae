package task

import (
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/pod/internal/podtest"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
)

// BenchmarkTrain lets an agent learn to reach the last cell of a room by the number of options, each of which goes to
// one cell. The time should grow less than the number of options.
func BenchmarkTrain(b *testing.B) {
	env := podtest.Grid(b, "9,9\nS........\n.........\n.........\n.........\n.........\n.........\n.........\n"+
		".........\n........G\n", 0)
	for _, algorithm := range []evaluation.Algorithm{evaluation.SMDP, evaluation.IntraOption} {
		for _, options := range []int{0, 200, 1000, 3000} {
			set := setOf(b, env, optionsTo(env.States(), 9, options)...)
			task, err := NewTask(set.Model, env.States()-1, 0, 0.9, 1000)
			if err != nil {
				b.Fatal(err)
			}
			how := Training{Algorithm: algorithm, Alpha: 0.1, Epsilon: 0.1, GreedyFrom: 180}
			b.Run(fmt.Sprintf("algorithm=%s/options=%d", algorithm, options), func(b *testing.B) {
				for b.Loop() {
					if _, err := Train(b.Context(), set, task, how, 200, rng.NewStream(1, 0, TrainingStream)); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

// optionsTo returns options that each go to a cell of a room that is so wide: first to its row, then along it.
func optionsTo(states, width, n int) (options []*schema.Option) {
	const up, right, down, left = 0, 1, 2, 3
	for i := range n {
		policy, to := make([]int8, states), i%states
		for s := range policy {
			switch {
			case s == to:
				policy[s] = schema.Terminate
			case s/width > to/width:
				policy[s] = up
			case s/width < to/width:
				policy[s] = down
			case s > to:
				policy[s] = left
			default:
				policy[s] = right
			}
		}
		options = append(options, &schema.Option{Arity: 4, Policy: policy})
	}
	return options
}
