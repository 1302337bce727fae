package task

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// interruptsOption reports whether the executing option is interrupted in state s, because
// its value is less than that of the best choice there. The value must have been learned:
// it is still 0 for an option that was never followed through s, which means nothing.
func (l *qAgent) interruptsOption(choice, s int) bool {
	return l.training.Interrupt && l.updated[s*l.numChoices()+choice] && l.choiceValues(s)[choice] < l.maxValue(s)
}

// maxPassed is the number of states of an option call that are kept.
const maxPassed = 1 << 16

// notePassed records a step after which the executing option goes on.
func (l *qAgent) notePassed(x move) {
	if !l.training.Interrupt || l.training.Algorithm != schema.SMDP {
		return
	}
	if len(l.passed) == maxPassed {
		l.passed = l.passed[:0]
	}
	l.passed = append(l.passed, x)
}

// updatePassed updates the option's value in the states that a call passed, latest first,
// given the value of the state in which it ended: each of them starts a shorter call.
// Without these updates the values that [qAgent.interruptsOption] compares would be known
// only where the option was chosen.
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
	q := l.choiceValues(s)
	q[choice] += float64(l.training.Alpha * (target - q[choice]))
}

// updateIntraOption does a step of intra-option Q-learning: it updates every choice that would
// have taken the same action. The target uses the choice's own value if it goes on in
// next, and the best value if it ends or would be interrupted there. The limit on an
// option's steps is ignored.
func (l *qAgent) updateIntraOption(x move) {
	best := 0.0
	if !x.over {
		best = l.maxValue(x.next)
	}
	onward := func(choice int) float64 {
		if o := l.optionOf(choice); o == nil || l.training.Interrupt || !l.continues(o, x.next) {
			return best
		}
		return l.choiceValues(x.next)[choice]
	}
	for choice := range l.numChoices() {
		if l.isAvailable(choice, x.state) && l.actionOf(choice, x.state) == x.action {
			l.update(x.state, choice, l.targetValue(x, func(int) float64 { return onward(choice) }))
		}
	}
}
