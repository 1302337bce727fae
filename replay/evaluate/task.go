package evaluate

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

const everyGoal = "all" // stands for the tasks of all goals

// ParseTask parses a task, goal=STATE[,start=STATE], or those of all goals, all[,start=STATE], into a spec. A state is
// given by its index, on a grid also by its cell, as in r1c11, or as goal or start.
func ParseTask(env envs.Env, text string, spec *task.Spec) error {
	many, given := false, map[string]bool{}
	for i, part := range strings.Split(text, ",") {
		if many = many || i == 0 && part == everyGoal; many && i == 0 {
			continue
		}
		what, state, _ := strings.Cut(part, "=")
		to := map[string]*int{"goal": &spec.Goal, "start": &spec.Start}[what]
		if to == nil || given[what] || many && what == "goal" {
			return schema.Hint(fmt.Errorf("%w: task %q", schema.ErrSpec, text),
				"write goal=STATE or goal=STATE,start=STATE; or all or all,start=STATE for every goal; without a start each "+
					"episode draws one")
		}
		given[what] = true
		s, err := parseState(env, state)
		if err != nil {
			return err
		}
		*to = s
	}
	switch {
	case many:
		tasks, err := allGoals(env, spec.Start)
		*spec = spec.NewTasks(tasks)
		return err
	case !given["goal"]:
		return schema.Hint(fmt.Errorf("%w: task %q has no goal", schema.ErrSpec, text), "write goal=STATE")
	}
	return nil
}

// allGoals returns a task for each state that can be reached: from the start, or with [task.AnyStart] from any other
// state.
func allGoals(env envs.Env, start int) ([]task.TaskStates, error) {
	m, err := modelOf(env)
	if err != nil {
		return nil, err
	}
	isReached := m.StatesEntered()
	if start != task.AnyStart {
		for s, steps := range m.StepsFrom(start) {
			isReached[s] = steps > 0
		}
	}
	var tasks []task.TaskStates
	for goal, is := range isReached {
		if is {
			tasks = append(tasks, task.TaskStates{Goal: goal, Start: start})
		}
	}
	switch {
	case len(tasks) == 0:
		return nil, schema.Hint(fmt.Errorf("%w: no other state can be reached from state %d", schema.ErrSpec, start),
			"choose another start, or none")
	case len(tasks) > task.MaxTasks:
		return nil, schema.Hint(fmt.Errorf("%w: %d goals", schema.ErrSpec, len(tasks)),
			"evaluate single goals; all of them may be up to %d", task.MaxTasks)
	}
	return tasks, nil
}

func modelOf(env envs.Env) (*envs.Model, error) {
	m, ok := envs.As[envs.ModelEnv](env)
	if !ok {
		return nil, envs.ErrModel
	}
	return m.Model(), nil
}

var cellPattern = textfmt.Pattern(`^r(\d{1,5})c(\d{1,5})$`)

func parseState(env envs.Env, text string) (int, error) {
	if x, ok := envs.As[*envs.External](env); ok {
		return parseObservation(x, text)
	}
	if s, err := strconv.Atoi(text); err == nil && s >= 0 && s < env.States() {
		return s, nil
	}
	if grid, ok := envs.As[*envs.Grid](env); ok {
		return parseCell(grid.Map, text)
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

// parseObservation parses a state of an environment that is only observed: the observation as text, s with the state's
// index, or start for the first one.
func parseObservation(x *envs.External, text string) (int, error) {
	for s := range x.States() {
		if s == 0 && text == "start" || text == "s"+strconv.Itoa(s) || text == x.StateText(s) {
			return s, nil
		}
	}
	return 0, schema.Hint(fmt.Errorf("%w: state %q is not among the %d that the run observed", schema.ErrSpec, text,
		x.States()), "write an observation; or s0 to s%d in the order in which they were observed; or start, the first",
		x.States()-1)
}
