package task

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
)

// An ActionSet is the set of choices that an agent has: the primitive actions, then the
// options that can start in the state, in option order. A choice is a number: an action,
// or the number of actions plus the option's index in Options.
type ActionSet struct {
	Model   *envs.Model
	Options []*schema.Option
}

// NewActionSet returns the action set of the primitive actions of env and the given
// options. It returns [envs.ErrModel] unless env has a model in which every action of every
// state leads somewhere.
func NewActionSet(env envs.Env, options []*schema.Option) (ActionSet, error) {
	e, ok := envs.As[envs.ModelEnv](env)
	if !ok {
		return ActionSet{}, schema.Hint(fmt.Errorf("%w is not known", envs.ErrModel),
			"options are evaluated in environments whose transitions are known, such as the ring and grids")
	}
	m := e.Model()
	for edge := range m.States * m.Actions {
		known := false
		m.VisitSuccessors(edge/m.Actions, edge%m.Actions, func(envs.Successor) { known = true })
		if !known {
			return ActionSet{}, fmt.Errorf("%w: action %d of state %d leads nowhere", envs.ErrModel, edge%m.Actions,
				edge/m.Actions)
		}
	}
	return ActionSet{Model: m, Options: options}, nil
}

// numChoices returns the number of choices, available or not.
func (a ActionSet) numChoices() int { return a.Model.Actions + len(a.Options) }

// optionOf returns the option that a choice stands for, or nil for a primitive action.
func (a ActionSet) optionOf(choice int) *schema.Option {
	if choice < a.Model.Actions {
		return nil
	}
	return a.Options[choice-a.Model.Actions]
}

// isAvailable reports whether a choice is available in state s.
func (a ActionSet) isAvailable(choice, s int) bool {
	o := a.optionOf(choice)
	return o == nil || o.CanStart(s) && !o.EndsIn(s)
}

// acts reports whether a choice has an action in state s: whether it is available there, or continues.
func (a ActionSet) acts(choice, s int) bool {
	o := a.optionOf(choice)
	return o == nil || !o.EndsIn(s)
}

// choiceLists are the choices of each state in ascending order, listed when they are first asked for.
type choiceLists struct {
	ActionSet
	has   func(choice, s int) bool
	lists [][]int32 // by state, nil where not yet asked for
}

// newChoiceLists returns the lists of the choices that has reports.
func newChoiceLists(set ActionSet, has func(choice, s int) bool) choiceLists {
	return choiceLists{ActionSet: set, has: has, lists: make([][]int32, set.Model.States)}
}

// in returns the choices of state s.
func (c choiceLists) in(s int) []int32 {
	if c.lists[s] == nil {
		c.lists[s] = make([]int32, 0, c.numChoices())
		for choice := range c.numChoices() {
			if c.has(choice, s) {
				c.lists[s] = append(c.lists[s], int32(choice))
			}
		}
	}
	return c.lists[s]
}

// sample returns a choice, drawn uniformly. It consumes one draw.
func (c choiceLists) sample(s int, stream *rng.Stream) int {
	list := c.in(s)
	return int(list[stream.Below(len(list))])
}

// actionOf returns the primitive action that a choice takes in state s.
func (a ActionSet) actionOf(choice, s int) int {
	if o := a.optionOf(choice); o != nil {
		return int(o.Policy[s])
	}
	return choice
}

// hasEnded reports whether a choice that was made the given number of steps ago ends in
// state s.
func (a ActionSet) hasEnded(choice, s int, steps int64) bool {
	o := a.optionOf(choice)
	return o == nil || o.EndsIn(s) || steps == o.Certificate.MaxSteps
}

// RandomOptions returns n options that a learner learns for random purposes, drawn as those of the basis random are:
// the baseline for options without a meaning, learned like those of the run. Purposes come in both signs, as
// eigenpurposes do.
func RandomOptions(
	ctx context.Context, env envs.Env, learner learn.OptionLearner, n int, stream *rng.Stream,
) ([]*schema.Option, error) {
	features := len(env.Features())
	var options []*schema.Option
	for j := 1; len(options) < n; j++ {
		plus := selection.IsotropicDirection(features, stream)
		minus := make([]float64, len(plus))
		for i, x := range plus {
			minus[i] = 0 - x
		}
		for _, p := range []schema.Purpose{{J: j, Sign: 1, Vector: plus}, {J: j, Sign: -1, Vector: minus}} {
			o, _, err := learner.Learn(ctx, p)
			if err != nil {
				return nil, fmt.Errorf("a random option: %w", err)
			}
			options = append(options, o)
		}
	}
	return options[:n], nil
}
