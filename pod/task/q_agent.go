package task

import (
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// Training says how an agent learns a task with an action set. The algorithms are those of
// Sutton, Precup & Singh, "Between MDPs and semi-MDPs" (Artificial Intelligence 112, 1999):
// the agent learns the value Q of each choice, starting from 0, and acts ε-greedily.
type Training struct {
	Algorithm Algorithm
	Interrupt bool    // interrupt an option if another choice has a larger value
	Alpha     float64 // step size
	Epsilon   float64 // exploration rate: the probability of drawing a choice uniformly

	// GreedyFrom is the first greedy episode: the exploration rate falls linearly from Epsilon in
	// episode 0 to 0 in episode GreedyFrom. If GreedyFrom is 0, the rate is always Epsilon.
	GreedyFrom int
}

// A qAgent is an agent in training.
type qAgent struct {
	ActionSet
	task     Task
	training Training
	stream   *rng.Stream
	choices  choiceLists // that are available
	acting   choiceLists // that have an action
	q        []float64   // by state and choice
	best     []bestChoices
	explore  int // the exploration rate times MaxInt32

	updated []bool // by state and choice: whether q was ever updated; nil if options are not interrupted
	passed  []move // the moves of the current option call, at most the last maxPassed
}

// A move is a step of an agent in training.
type move struct {
	state, action, next int
	reward              float64
	over                bool // the episode ended in next
}

// act takes an action in state s.
func (q *qAgent) act(s, action int) move {
	x := move{state: s, action: action, next: q.Model.SampleSuccessor(s, action, q.stream)}
	x.over = q.task.fewest[x.next] <= 0 // in the goal, or where no way leads to it
	if x.next == q.task.Goal {
		x.reward = 1
	}
	return x
}

// newQAgent returns an agent that has learned nothing yet.
func newQAgent(set ActionSet, task Task, config Training, stream *rng.Stream) *qAgent {
	q := &qAgent{
		ActionSet: set, task: task, training: config, stream: stream, choices: newChoiceLists(set, set.isAvailable),
		q: make([]float64, set.Model.States*set.numChoices()), best: make([]bestChoices, set.Model.States),
	}
	q.acting = q.choices
	if slices.ContainsFunc(set.Options, (*schema.Option).HasStart) {
		q.acting = newChoiceLists(set, set.acts)
	}
	if config.Interrupt {
		q.updated = make([]bool, len(q.q))
	}
	return q
}

// choiceValues returns the values of all choices in state s, including those that are not available there. They are
// changed by setValue alone.
func (q *qAgent) choiceValues(s int) []float64 {
	n := q.numChoices()
	return q.q[s*n : (s+1)*n]
}

// bestChoices are the available choices of a state that have the largest value.
type bestChoices struct {
	known bool // since the last change that may have made them others
	value float64
	list  []int32
}

// bestIn returns the best choices in state s. Most updates do not change which they are, so it seldom has to compare
// all choices.
func (q *qAgent) bestIn(s int) *bestChoices {
	b := &q.best[s]
	if b.known {
		return b
	}
	values := q.choiceValues(s)
	b.known, b.value, b.list = true, math.Inf(-1), b.list[:0]
	for _, choice := range q.choices.in(s) {
		switch value := values[choice]; {
		case value > b.value:
			b.value, b.list = value, append(b.list[:0], choice)
		case value == b.value:
			b.list = append(b.list, choice)
		}
	}
	return b
}

// setValue sets the value of a choice.
func (q *qAgent) setValue(s, choice int, value float64) {
	values, b := q.choiceValues(s), &q.best[s]
	before := values[choice]
	values[choice] = value
	switch {
	case value == before:
	case value > b.value && b.known && q.isAvailable(choice, s):
		b.value, b.list = value, append(b.list[:0], int32(choice))
	case value >= b.value || before == b.value:
		b.known = false
	}
}

// maxValue returns the largest value of an available choice in state s.
func (q *qAgent) maxValue(s int) float64 { return q.bestIn(s).value }

// chooseEpsilonGreedy draws a choice in state s: with probability ε from all available
// choices, and otherwise from those with the largest value.
func (q *qAgent) chooseEpsilonGreedy(s int) int {
	if q.stream.Below(math.MaxInt32) < q.explore {
		return q.choices.sample(s, q.stream)
	}
	best := q.bestIn(s).list
	if len(best) == 1 {
		return int(best[0])
	}
	return int(best[q.stream.Below(len(best))])
}
