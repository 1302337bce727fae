package evaluate

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
)

// pairsStream names the stream from which pairs of start and goal are drawn.
const pairsStream = "pairs"

// maxListedPairs is the largest number of pairs from which DrawPairs draws: it lists all of them.
const maxListedPairs = 1 << 20

// allGoals returns a task for each state that can be reached: from the start, or with
// [evaluation.AnyStart] from any other state.
func allGoals(env envs.Env, start int) ([]evaluation.TaskStates, error) {
	m, err := modelOf(env)
	if err != nil {
		return nil, err
	}
	var tasks []evaluation.TaskStates
	if start == evaluation.AnyStart {
		for goal, enters := range m.StatesEntered() {
			if enters {
				tasks = append(tasks, evaluation.TaskStates{Goal: goal, Start: start})
			}
		}
	} else {
		for goal, reached := range m.StatesReachableFrom(start) {
			if reached && goal != start {
				tasks = append(tasks, evaluation.TaskStates{Goal: goal, Start: start})
			}
		}
	}
	switch {
	case len(tasks) == 0:
		return nil, schema.Hint(fmt.Errorf("%w: no other state can be reached from state %d", schema.ErrSpec, start),
			"choose another start, or none")
	case len(tasks) > evaluation.MaxTasks:
		return nil, schema.Hint(fmt.Errorf("%w: %d goals", schema.ErrSpec, len(tasks)),
			"draw up to %d pairs of start and goal instead", evaluation.MaxTasks)
	}
	return tasks, nil
}

// DrawPairs returns n distinct tasks, drawn uniformly from all pairs of a start and another state
// that can be reached from it. The seed decides which.
func DrawPairs(env envs.Env, n int, seed uint64) ([]evaluation.TaskStates, error) {
	m, err := modelOf(env)
	if err != nil {
		return nil, err
	}
	if n < 1 || n > evaluation.MaxTasks {
		return nil, schema.Hint(fmt.Errorf("%w: %d pairs", schema.ErrSpec, n), "draw 1 to %d", evaluation.MaxTasks)
	}
	if m.States > maxListedPairs/m.States {
		return nil, schema.Hint(fmt.Errorf("%w: pairs of %d states", schema.ErrSpec, m.States),
			"choose a smaller environment, or single tasks")
	}
	var all []evaluation.TaskStates
	for start := range m.States {
		for goal, reached := range m.StatesReachableFrom(start) {
			if reached && goal != start {
				all = append(all, evaluation.TaskStates{Goal: goal, Start: start})
			}
		}
	}
	if n > len(all) {
		return nil, schema.Hint(fmt.Errorf("%w: %d pairs of %d", schema.ErrSpec, n, len(all)), "draw %d at most", len(all))
	}
	stream := rng.NewStream(seed, 0, pairsStream)
	for i := range n {
		j := i + stream.Below(len(all)-i)
		all[i], all[j] = all[j], all[i]
	}
	return slices.Clone(all[:n]), nil
}

func modelOf(env envs.Env) (*envs.Model, error) {
	m, ok := envs.As[envs.ModelEnv](env)
	if !ok {
		return nil, envs.ErrModel
	}
	return m.Model(), nil
}
