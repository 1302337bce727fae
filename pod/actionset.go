package pod

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// ErrModel says that a model does not serve: there is none, it is too large, or
// not every state can be reached in it.
var ErrModel = errors.New("the environment's model")

// ActionSet is what an agent chooses from: the primitive actions, then the options
// whose I holds the state, in option order. A choice is an action, or the number of
// actions plus the option's place in Options.
type ActionSet struct {
	Model   *Model
	Options []*schema.Option
}

// NewActionSet is the action set of an environment that has a model: every action of
// every state leads somewhere.
func NewActionSet(env Env, options []*schema.Option) (ActionSet, error) {
	m := env.Model()
	if m == nil || m.States == 0 || m.Actions == 0 {
		return ActionSet{}, schema.Hint(fmt.Errorf("%w: there is none", ErrModel),
			"options are evaluated in environments whose transitions are known, such as the ring and grids")
	}
	for edge := range m.States * m.Actions {
		known := false
		m.VisitSuccessors(edge/m.Actions, edge%m.Actions, func(int, float64) { known = true })
		if !known {
			return ActionSet{}, fmt.Errorf("%w: action %d of state %d leads nowhere", ErrModel, edge%m.Actions, edge/m.Actions)
		}
	}
	return ActionSet{Model: m, Options: options}, nil
}

// size is the number of choices, available or not.
func (a ActionSet) size() int { return a.Model.Actions + len(a.Options) }

// option is the option that a choice stands for, nil for a primitive action.
func (a ActionSet) option(choice int) *schema.Option {
	if choice < a.Model.Actions {
		return nil
	}
	return a.Options[choice-a.Model.Actions]
}

// has says whether a choice is available in state s.
func (a ActionSet) has(choice, s int) bool {
	o := a.option(choice)
	return o == nil || o.CanStart(s)
}

// count is the number of choices available in state s.
func (a ActionSet) count(s int) int {
	n := a.Model.Actions
	for _, o := range a.Options {
		if o.CanStart(s) {
			n++
		}
	}
	return n
}

// draw is an available choice, all of them equally likely. It takes one number.
func (a ActionSet) draw(s int, stream *Stream) int {
	i := stream.Below(a.count(s))
	for choice := range a.size() {
		if !a.has(choice, s) {
			continue
		}
		if i == 0 {
			return choice
		}
		i--
	}
	panic("pod: fewer choices than were counted")
}

// action is what a choice does in state s.
func (a ActionSet) action(choice, s int) int {
	if o := a.option(choice); o != nil {
		return int(o.Policy[s])
	}
	return choice
}

// ends says whether a choice made so many steps ago is over in state s.
func (a ActionSet) ends(choice, s int, steps int64) bool {
	o := a.option(choice)
	return o == nil || !o.CanStart(s) || steps == o.Certificate.MaxSteps
}

// StatesReaching are the states from which a state can be reached, itself included.
func (m *Model) StatesReaching(goal int) []bool {
	came := make([][]int32, m.States)
	for edge := range m.States * m.Actions {
		s := edge / m.Actions
		m.VisitSuccessors(s, edge%m.Actions, func(next int, _ float64) { came[next] = append(came[next], int32(s)) })
	}
	return spread(goal, m.States, func(s int, visit func(int)) {
		for _, before := range came[s] {
			visit(int(before))
		}
	})
}

// reached are the states that can be reached from a state, itself included.
func (m *Model) reached(start int) []bool {
	return spread(start, m.States, func(s int, visit func(int)) {
		for a := range m.Actions {
			m.VisitSuccessors(s, a, func(next int, _ float64) { visit(next) })
		}
	})
}

// spread goes from state to state as far as it gets.
func spread(start, states int, neighbours func(s int, visit func(int))) []bool {
	seen := make([]bool, states)
	seen[start] = true
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		neighbours(queue[0], func(s int) {
			if !seen[s] {
				seen[s] = true
				queue = append(queue, s)
			}
		})
	}
	return seen
}
