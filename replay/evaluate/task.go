package evaluate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// everyGoal is the word for the tasks of all goals.
const everyGoal = "all"

// IsManyTasks reports whether [ParseTask] parses a text as many tasks.
func IsManyTasks(text string) bool {
	first, _, _ := strings.Cut(text, ",")
	return first == everyGoal
}

// rewardTask is the word for the task of recorded rewards.
const rewardTask = "reward"

// IsRewardTask reports whether [ParseTask] parses a text as a task of recorded rewards.
func IsRewardTask(text string) bool {
	first, _, _ := strings.Cut(text, ",")
	return first == rewardTask
}

// ParseTask parses a task, goal=STATE[,start=STATE], or many tasks, all[,start=STATE], or the task of recorded
// rewards, reward[,start=STATE], into a spec. A state is given by its index, on a grid also by its cell, as in
// r1c11, or as goal or start.
func ParseTask(env envs.Env, text string, spec *evaluation.Spec) error {
	if IsManyTasks(text) {
		return parseAllGoals(env, text, spec)
	}
	if IsRewardTask(text) {
		return parseReward(env, text, spec)
	}
	given := map[string]bool{}
	for _, part := range strings.Split(text, ",") {
		what, state, _ := strings.Cut(part, "=")
		to := map[string]*int{"goal": &spec.Goal, "start": &spec.Start}[what]
		if to == nil || given[what] {
			return schema.Hint(fmt.Errorf("%w: task %q", schema.ErrSpec, text),
				"write goal=STATE or goal=STATE,start=STATE, or all for every goal, or reward for what the environment "+
					"rewards; without a start each episode draws one")
		}
		given[what] = true
		s, err := parseState(env, state)
		if err != nil {
			return err
		}
		*to = s
	}
	if !given["goal"] {
		return schema.Hint(fmt.Errorf("%w: task %q has no goal", schema.ErrSpec, text), "write goal=STATE")
	}
	return nil
}

// parseAllGoals parses all[,start=STATE].
func parseAllGoals(env envs.Env, text string, spec *evaluation.Spec) error {
	start, err := parseStart(env, text)
	if err != nil {
		return err
	}
	tasks, err := allGoals(env, start)
	if err == nil {
		*spec = spec.NewTasks(tasks)
	}
	return err
}

// parseReward parses reward[,start=STATE].
func parseReward(env envs.Env, text string, spec *evaluation.Spec) (err error) {
	spec.Reward, spec.Goal = true, 0
	spec.Start, err = parseStart(env, text)
	return err
}

// parseStart parses what may follow a word for a task, [,start=STATE].
func parseStart(env envs.Env, text string) (int, error) {
	word, rest, more := strings.Cut(text, ",")
	if !more {
		return evaluation.AnyStart, nil
	}
	state, ok := strings.CutPrefix(rest, "start=")
	if !ok {
		return 0, schema.Hint(fmt.Errorf("%w: task %q", schema.ErrSpec, text), "write %s or %[1]s,start=STATE", word)
	}
	return parseState(env, state)
}

var cellPattern = textfmt.Pattern(`^r(\d{1,5})c(\d{1,5})$`)

func parseState(env envs.Env, text string) (int, error) {
	if x, ok := envs.As[*envs.External](env); ok {
		return parseObservation(x, text)
	}
	if s, err := strconv.Atoi(text); err == nil && s >= 0 && s < env.States() {
		return s, nil
	}
	if plane, ok := envs.As[envs.Plane](env); ok {
		return parseCell(plane.Plan(), text)
	}
	return 0, schema.Hint(fmt.Errorf("%w: state %q", schema.ErrSpec, text),
		"the states of this environment are 0 to %d", env.States()-1)
}

func parseCell(m *envs.Map, text string) (int, error) {
	s := -1
	switch at := cellPattern().FindStringSubmatch(text); {
	case at != nil:
		row, _ := strconv.Atoi(at[1]) // of at most five digits
		column, _ := strconv.Atoi(at[2])
		s = m.StateAt(row, column)
	case text == "goal":
		s = m.Goal
	case text == "start":
		s = m.Start
	}
	if s < 0 {
		return 0, schema.Hint(fmt.Errorf("%w: state %q", schema.ErrSpec, text),
			"write a free cell as r1c11, row and column from 0, or start, goal (the map's S and G), or an index "+
				"from 0 to %d", len(m.Cells)-1)
	}
	return s, nil
}

// FormatState returns the readable name of a state.
func FormatState(env envs.Env, s int) string {
	if x, ok := envs.As[*envs.External](env); ok && s >= 0 && s < x.States() {
		return formatObservation(x, s)
	}
	if plane, ok := envs.As[envs.Plane](env); ok && s >= 0 && s < env.States() {
		return plane.Plan().StateName(s)
	}
	return strconv.Itoa(s)
}
