package task

import (
	"fmt"
	"math"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/experience"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
)

// A Task is to reach a goal: the reward is 1 there and 0 elsewhere. An episode ends at the
// goal, in a state from which the goal cannot be reached, or after Limit steps.
//
// Alternatively it is to earn the rewards of an environment: see [NewRewardTask].
type Task struct {
	Goal  int
	Start int // evaluation.AnyStart: drawn from all states but the goal that lead to it
	Gamma float64
	Limit int64

	starts      []int
	reachesGoal []bool                  // by state: the goal can be reached
	rewards     *experience.RewardModel // nil if there is a goal
}

// NewTask returns a task in a model. It returns [schema.ErrSpec] if the goal or start is
// no state, or the goal cannot be reached.
func NewTask(m *envs.Model, goal, start int, gamma float64, limit int64) (Task, error) {
	t := Task{Goal: goal, Start: start, Gamma: gamma, Limit: limit}
	if err := checkTaskState(m, "goal", goal); err != nil {
		return t, err
	}
	if start != evaluation.AnyStart {
		if err := checkTaskState(m, "start", start); err != nil {
			return t, err
		}
	}
	t.reachesGoal = m.StatesReaching(goal)
	for s, leads := range t.reachesGoal {
		if leads && s != goal && (s == start || start == evaluation.AnyStart) {
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

// maxValues bounds the magnitude of learned values and of returns.
const maxValues = 1e300

// NewRewardTask returns the task to earn the rewards of m. An episode begins in the start, or with
// [evaluation.AnyStart] where recorded ones did, and ends where they terminated, or after limit steps.
func NewRewardTask(m *experience.RewardModel, start int, gamma float64, limit int64) (Task, error) {
	t := Task{Start: start, Gamma: gamma, Limit: limit, rewards: m}
	if most := m.Largest * max(float64(limit), 1/(1-gamma)); most > maxValues {
		return t, schema.Hint(fmt.Errorf("%w: sums of rewards of up to %g in magnitude could overflow",
			schema.ErrSpec, m.Largest), "scale the environment's rewards")
	}
	if start == evaluation.AnyStart {
		return t, nil
	}
	if start < 0 || start >= m.States {
		return t, schema.Hint(fmt.Errorf("%w: the task's start %d is not a state", schema.ErrSpec, start),
			"the environment has the states 0 to %d", m.States-1)
	}
	if !m.CanBegin(start) {
		return t, schema.Hint(fmt.Errorf("%w: no recorded step begins in the state in which the task starts",
			schema.ErrSpec), "choose another start, or none")
	}
	t.starts = []int{start}
	return t, nil
}

// earns reports whether the task is to earn rewards, rather than to reach a goal.
func (t *Task) earns() bool { return t.rewards != nil }

// checkTaskState returns an error unless s is a state of m.
func checkTaskState(m *envs.Model, what string, s int) error {
	if s >= 0 && s < m.States {
		return nil
	}
	return schema.Hint(fmt.Errorf("%w: the task's %s %d is not a state", schema.ErrSpec, what, s),
		"the environment has the states 0 to %d", m.States-1)
}

// sampleStart returns the state in which an episode starts. It consumes a draw only if
// there are several.
func (t *Task) sampleStart(stream *rng.Stream) int {
	if len(t.starts) == 1 {
		return t.starts[0]
	}
	if t.rewards != nil {
		return t.rewards.SampleStart(stream)
	}
	return t.starts[stream.Below(len(t.starts))]
}

// Bound returns the best possible result: the fewest steps to the goal, and the discounted return of that many steps,
// both as means over the starts. If actions lead to several states, it assumes the best outcomes.
func (t *Task) Bound(m *envs.Model) (steps, value float64) {
	fewest := m.FewestStepsTo(t.Goal)
	for _, s := range t.starts {
		steps += float64(fewest[s])
		value += math.Pow(t.Gamma, float64(fewest[s]-1))
	}
	return steps / float64(len(t.starts)), value / float64(len(t.starts))
}

// isOver reports whether an episode ends in s.
func (t *Task) isOver(s int) bool { return s == t.Goal || !t.reachesGoal[s] }
