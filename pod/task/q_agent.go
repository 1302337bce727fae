package task

import (
	"math"

	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// Training is how an agent learns a task with an action set, by the algorithms of Sutton,
// Precup & Singh, "Between MDPs and semi-MDPs" (Artificial Intelligence 112, 1999): it
// learns the values Q of choices, starting from 0, while it acts ε-greedily by them.
type Training struct {
	Algorithm schema.Algorithm
	Interrupt bool    // an option is interrupted if another choice has a larger value
	Alpha     float64 // step size
	Epsilon   float64 // exploration rate: share of decisions drawn uniformly from all choices

	// GreedyFrom is the first episode with an exploration rate of 0, to which it falls linearly
	// from Epsilon in episode 0; the rate stays the same if GreedyFrom is 0.
	GreedyFrom int
}

// A qAgent is an agent in training.
type qAgent struct {
	ActionSet
	task     Task
	training Training
	stream   *rng.Stream
	q        []float64 // by state and choice
	explore  int       // number of exploring decisions among MaxInt32
	ties     []int

	updated []bool // by state and choice: q was updated; nil if options are not interrupted
	passed  []move // since the start of the current call, the latest ones of a long call
}

// A move is a step of an agent in training.
type move struct {
	state, action, next int
	reward              float64
	over                bool // the episode ends in next
}

// act takes an action in state s.
func (l *qAgent) act(s, action int) move {
	if l.task.rewards != nil {
		o := l.task.rewards.Sample(s, action, l.stream)
		return move{state: s, action: action, next: int(o.Next), reward: o.Reward, over: o.Over}
	}
	x := move{state: s, action: action, next: l.Model.SampleSuccessor(s, action, l.stream)}
	if x.over = l.task.isOver(x.next); x.next == l.task.Goal {
		x.reward = 1
	}
	return x
}

// hasReached reports whether an episode with the last step x reached the goal or, in a task of rewards, terminated.
func (l *qAgent) hasReached(x move) bool {
	return x.over && (l.task.earns() || x.next == l.task.Goal)
}

// choiceValues returns the values of all choices in state s, available or not.
func (l *qAgent) choiceValues(s int) []float64 {
	n := l.numChoices()
	return l.q[s*n : (s+1)*n]
}

// maxValue returns the largest value of an available choice in state s.
func (l *qAgent) maxValue(s int) float64 {
	best := math.Inf(-1)
	for choice, q := range l.choiceValues(s) {
		if q > best && l.isAvailable(choice, s) {
			best = q
		}
	}
	return best
}

// chooseEpsilonGreedy returns a uniformly drawn choice with probability ε, and otherwise
// one of those with the largest value, drawn uniformly.
func (l *qAgent) chooseEpsilonGreedy(s int) int {
	if l.stream.Below(math.MaxInt32) < l.explore {
		return l.sampleChoice(s, l.stream)
	}
	best := l.maxValue(s)
	l.ties = l.ties[:0]
	for choice, q := range l.choiceValues(s) {
		if q == best && l.isAvailable(choice, s) {
			l.ties = append(l.ties, choice)
		}
	}
	if len(l.ties) == 1 {
		return l.ties[0]
	}
	return l.ties[l.stream.Below(len(l.ties))]
}
