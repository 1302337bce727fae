package task

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// interruptsOption reports whether the executing option is interrupted in state s, because
// another choice has a larger value there. An option is never interrupted before its value
// in s was updated: until then the value is an arbitrary 0.
func (l *qAgent) interruptsOption(choice, s int) bool {
	return l.training.Interrupt && l.updated[s*l.numChoices()+choice] && l.choiceValues(s)[choice] < l.maxValue(s)
}

// maxPassed bounds the recorded moves of an option call.
const maxPassed = 1 << 16

// notePassed records a move after which the executing option continues.
func (l *qAgent) notePassed(x move) {
	if !l.training.Interrupt || l.training.Algorithm != schema.SMDP {
		return
	}
	if len(l.passed) == maxPassed {
		l.passed = l.passed[:0]
	}
	l.passed = append(l.passed, x)
}

// updatePassed updates the option's value in the states that a call passed through, latest
// first, as if the option had been called there. value is that of the state in which the
// call ended. Without these updates [qAgent.interruptsOption] would know an option's value
// only in states in which the option was called.
func (l *qAgent) updatePassed(choice int, value float64) {
	for _, x := range slices.Backward(l.passed) {
		l.update(x.next, choice, value)
		value = x.reward + float64(value*l.task.Gamma)
	}
}

// targetValue returns the reward of a step plus the discounted value of what follows.
func (l *qAgent) targetValue(x move, value func(s int) float64) float64 {
	if x.over {
		return x.reward
	}
	return x.reward + float64(l.task.Gamma*value(x.next))
}

// update moves the value of a choice towards a target.
func (l *qAgent) update(s, choice int, target float64) {
	if l.updated != nil {
		l.updated[s*l.numChoices()+choice] = true
	}
	values := l.choiceValues(s)
	values[choice] += float64(l.training.Alpha * (target - values[choice]))
}

// updateIntraOption does a step of intra-option Q-learning: it updates every choice that takes
// the action of x in its state. The target uses the choice's own value if the choice continues
// in the next state, and the best value if it ends or would be interrupted there. It ignores
// the limit on an option's steps.
func (l *qAgent) updateIntraOption(x move) {
	best := 0.0
	if !x.over {
		best = l.maxValue(x.next)
	}
	continuation := func(choice int) float64 {
		if o := l.optionOf(choice); o == nil || l.training.Interrupt || !l.continues(o, x.next) {
			return best
		}
		return l.choiceValues(x.next)[choice]
	}
	for choice := range l.numChoices() {
		if l.isAvailable(choice, x.state) && l.actionOf(choice, x.state) == x.action {
			l.update(x.state, choice, l.targetValue(x, func(int) float64 { return continuation(choice) }))
		}
	}
}
