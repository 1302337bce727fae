package task

import (
	"fmt"
	"math"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// A Task is to reach a goal: the reward is 1 there and 0 elsewhere. An episode ends at the
// goal, in a state from which the goal cannot be reached, or after Limit steps.
type Task struct {
	Goal  int
	Start int // AnyStart: drawn from all states but the goal that lead to it
	Gamma float64
	Limit int64

	starts []int
	fewest []int32 // steps to the goal by state, [envs.Never] if it cannot be reached
}

// NewTask returns a task in a model. It returns [schema.ErrSpec] if the goal or start is
// no state, or the goal cannot be reached.
func NewTask(m *envs.Model, goal, start int, gamma float64, limit int64) (Task, error) {
	t := Task{Goal: goal, Start: start, Gamma: gamma, Limit: limit}
	if err := checkTaskState(m, "goal", goal); err != nil {
		return t, err
	}
	if start != AnyStart {
		if err := checkTaskState(m, "start", start); err != nil {
			return t, err
		}
	}
	t.fewest = m.StepsTo(goal)
	for s, steps := range t.fewest {
		if steps > 0 && (s == start || start == AnyStart) {
			t.starts = append(t.starts, s)
		}
	}
	switch {
	case start == goal:
		return t, schema.Hint(fmt.Errorf("%w: the task starts in its goal, state %d", schema.ErrSpec, goal),
			"choose another start or goal")
	case len(t.starts) == 0:
		return t, schema.Hint(fmt.Errorf("%w: the task's goal, state %d, cannot be reached", schema.ErrSpec, goal),
			"choose another start or goal")
	}
	return t, nil
}

// checkTaskState returns an error unless s is a state of m.
func checkTaskState(m *envs.Model, what string, s int) error {
	if s >= 0 && s < m.States {
		return nil
	}
	return schema.Hint(fmt.Errorf("%w: the task's %s %d is not a state", schema.ErrSpec, what, s),
		"the environment has the states 0 to %d", m.States-1)
}

// Bound returns the best possible result: the fewest steps to the goal, and the discounted return of that many steps,
// both as means over the starts. If actions lead to several states, it assumes the best outcomes.
func (t *Task) Bound() (steps, value float64) {
	for _, s := range t.starts {
		steps += float64(t.fewest[s])
		value += math.Pow(t.Gamma, float64(t.fewest[s]-1))
	}
	return steps / float64(len(t.starts)), value / float64(len(t.starts))
}
