package pod

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// A RestartableEnv is a running environment that can begin another episode before one has ended.
type RestartableEnv interface {
	RunningEnv
	// Restart begins an episode, in which random numbers continue from where they are, and returns its first
	// state.
	Restart(ctx context.Context) (state int, err error)
}

// A LearningWorld is a program in which an agent learns to earn what it rewards. Its states are those that the
// agent knew before and those that it observes, which it owns.
type LearningWorld struct {
	env     RestartableEnv
	seen    *External
	options []*schema.Option // whose policies are extended to what is observed
	start   int              // of the next episode, negative if one has to be begun
	begun   bool
	failed  error
	ctx     context.Context // of the training under way
}

// NewLearningWorld returns the world of a program that runs with the observations of seen, and a copy of the
// action set whose options also know what it observes.
func NewLearningWorld(env RunningEnv, seen *External, set ActionSet) (*LearningWorld, ActionSet, error) {
	r, ok := env.(RestartableEnv)
	if !ok {
		return nil, set, errors.New("the program cannot begin an episode before another one has ended")
	}
	own := make([]*schema.Option, len(set.Options))
	for i, o := range set.Options {
		c := *o
		c.Policy = slices.Clip(c.Policy)
		own[i] = &c
	}
	set.Options = own
	return &LearningWorld{env: r, seen: seen, options: own, start: -1}, set, nil
}

// NewProgramTask returns the task to earn what a program rewards, in episodes that it begins and ends, or that are
// truncated after limit steps.
func NewProgramTask(w *LearningWorld, gamma float64, limit int64) Task {
	return Task{Start: schema.AnyStart, Gamma: gamma, Limit: limit, world: w}
}

// begin returns the state in which an episode begins.
func (w *LearningWorld) begin() int {
	switch {
	case w.failed != nil:
		return 0
	case !w.begun:
		w.start, w.failed = w.env.Reset(w.ctx)
		w.begun = true
	case w.start < 0:
		w.start, w.failed = w.env.Restart(w.ctx)
	}
	if w.failed != nil {
		return 0
	}
	s := w.start
	w.start = -1
	w.seen.ExtendPolicies(w.options)
	return s
}

// act takes an action in state s. After a failure the episode is over.
func (w *LearningWorld) act(s, action int) move {
	if w.failed != nil {
		return move{state: s, action: action, over: true}
	}
	o, err := w.env.Step(w.ctx, action)
	if err != nil {
		w.failed = err
		return move{state: s, action: action, over: true}
	}
	if o.End != NotEnded {
		w.start = o.NextStart
	}
	w.seen.ExtendPolicies(w.options)
	return move{state: s, action: action, next: o.State, reward: o.Reward, over: o.End == Terminated,
		truncated: o.End == Truncated}
}

// grow makes room for the values of all states that are known.
func (l *qAgent) grow() {
	n := l.numChoices()
	missing := l.task.world.seen.States()*n - len(l.q)
	if missing <= 0 {
		return
	}
	if len(l.q)+missing > maxTableEntries {
		l.task.world.failed = schema.Hint(fmt.Errorf("%w: a table of values with more than %d entries", ErrModel,
			maxTableEntries), "observe less, or evaluate fewer options")
		return
	}
	l.q = append(l.q, make([]float64, missing)...)
	if l.updated != nil {
		l.updated = append(l.updated, make([]bool, missing)...)
	}
}

// Copy returns an environment with the same observations, which can be added to.
func (e *External) Copy() *External {
	c := *e
	o := *e.ObservedStates
	o.observations = slices.Clone(o.observations)
	o.index = newObservationIndex(o.observations)
	c.ObservedStates = &o
	return &c
}
