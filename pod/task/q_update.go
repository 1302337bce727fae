package task

import (
	"slices"
)

// interruptsOption reports whether the executing option is interrupted in state s, because
// another choice has a larger value there. An option is never interrupted before its value
// in s was updated: until then the value is an arbitrary 0.
func (q *qAgent) interruptsOption(choice, s int) bool {
	return q.training.Interrupt && q.updated[s*q.numChoices()+choice] && q.choiceValues(s)[choice] < q.maxValue(s)
}

// maxPassed bounds the recorded moves of an option call.
const maxPassed = 1 << 16

// notePassed records a move after which the executing option continues.
func (q *qAgent) notePassed(x move) {
	if !q.training.Interrupt || q.training.Algorithm != SMDP {
		return
	}
	if len(q.passed) == maxPassed {
		q.passed = q.passed[:0]
	}
	q.passed = append(q.passed, x)
}

// updatePassed updates the option's value in the states that a call passed through, latest
// first, as if the option had been called there. value is that of the state in which the
// call ended. Without these updates [qAgent.interruptsOption] would know an option's value
// only in states in which the option was called.
func (q *qAgent) updatePassed(choice int, value float64) {
	for _, x := range slices.Backward(q.passed) {
		q.update(x.next, choice, value)
		value = x.reward + float64(value*q.task.Gamma)
	}
}

// targetValue returns the reward of a step plus the discounted value of what follows.
func (q *qAgent) targetValue(x move, value func(s int) float64) float64 {
	if x.over {
		return x.reward
	}
	return x.reward + float64(q.task.Gamma*value(x.next))
}

// update moves the value of a choice towards a target.
func (q *qAgent) update(s, choice int, target float64) {
	if q.updated != nil {
		q.updated[s*q.numChoices()+choice] = true
	}
	value := q.choiceValues(s)[choice]
	q.setValue(s, choice, value+float64(q.training.Alpha*(target-value)))
}

// updateIntraOption does a step of intra-option Q-learning: it updates every choice that takes
// the action of x in its state. The target uses the choice's own value if the choice continues
// in the next state, and the best value if it ends or would be interrupted there. It ignores
// the limit on an option's steps.
func (q *qAgent) updateIntraOption(x move) {
	best := 0.0
	if !x.over {
		best = q.maxValue(x.next)
	}
	continuation := func(choice int) float64 {
		o := q.optionOf(choice)
		if o == nil || o.EndsIn(x.next) {
			return best
		}
		value := q.choiceValues(x.next)[choice]
		if q.training.Interrupt {
			return max(best, value)
		}
		return value
	}
	for _, choice := range q.acting.in(x.state) {
		if q.actionOf(int(choice), x.state) == x.action {
			q.update(x.state, int(choice), q.targetValue(x, func(int) float64 { return continuation(int(choice)) }))
		}
	}
}
