package task

import (
	"math"

	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// Training says how an agent learns a task with an action set. The algorithms are those of
// Sutton, Precup & Singh, "Between MDPs and semi-MDPs" (Artificial Intelligence 112, 1999):
// the agent learns the value Q of each choice, starting from 0, and acts ε-greedily.
type Training struct {
	Algorithm schema.Algorithm
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
	q        []float64 // by state and choice
	explore  int       // the exploration rate times MaxInt32
	ties     []int     // buffer of chooseEpsilonGreedy

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
	if q.task.rewards != nil {
		o := q.task.rewards.Sample(s, action, q.stream)
		return move{state: s, action: action, next: int(o.Next), reward: o.Reward, over: o.Over}
	}
	x := move{state: s, action: action, next: q.Model.SampleSuccessor(s, action, q.stream)}
	x.over = q.task.isOver(x.next)
	if x.next == q.task.Goal {
		x.reward = 1
	}
	return x
}

// hasReached reports whether an episode whose last step is x reached the goal or, in a task with rewards, terminated.
func (q *qAgent) hasReached(x move) bool {
	return x.over && (q.task.earns() || x.next == q.task.Goal)
}

// choiceValues returns the values of all choices in state s, including those that are not available there.
func (q *qAgent) choiceValues(s int) []float64 {
	n := q.numChoices()
	return q.q[s*n : (s+1)*n]
}

// maxValue returns the largest value of an available choice in state s.
func (q *qAgent) maxValue(s int) float64 {
	best := math.Inf(-1)
	for choice, value := range q.choiceValues(s) {
		if value > best && q.isAvailable(choice, s) {
			best = value
		}
	}
	return best
}

// chooseEpsilonGreedy draws a choice in state s: with probability ε from all available
// choices, and otherwise from those with the largest value.
func (q *qAgent) chooseEpsilonGreedy(s int) int {
	if q.stream.Below(math.MaxInt32) < q.explore {
		return q.sampleChoice(s, q.stream)
	}
	best := q.maxValue(s)
	q.ties = q.ties[:0]
	for choice, value := range q.choiceValues(s) {
		if value == best && q.isAvailable(choice, s) {
			q.ties = append(q.ties, choice)
		}
	}
	if len(q.ties) == 1 {
		return q.ties[0]
	}
	return q.ties[q.stream.Below(len(q.ties))]
}
