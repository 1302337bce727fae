package pod

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// interruptsOption says whether an option in force is left in state s, because it is worth
// less than the best choice there. What going on with it is worth must have been
// learned there: of an option that was never followed through s the value is 0, as
// it is at first, and that says nothing.
func (l *qAgent) interruptsOption(choice, s int) bool {
	return l.training.Interrupt && l.updated[s*l.numChoices()+choice] && l.choiceValues(s)[choice] < l.maxValue(s)
}

// maxPassed bounds the states that are kept of a call.
const maxPassed = 1 << 16

// notePassed notes a state in which the option in force goes on.
func (l *qAgent) notePassed(s int) {
	if !l.training.Interrupt || l.training.Algorithm != schema.SMDP {
		return
	}
	if len(l.passed) == maxPassed {
		l.passed = l.passed[:0]
	}
	l.passed = append(l.passed, s)
}

// updatePassed teaches what going on was worth in the states that a call passed,
// latest first, from the worth of where it ended: each is the start of a shorter
// call. Without that the values that [qAgent.interrupts] compares would be known
// only where an option was chosen.
func (l *qAgent) updatePassed(choice int, worth float64) {
	for _, s := range slices.Backward(l.passed) {
		l.update(s, choice, worth)
		worth = float64(worth * l.task.Gamma)
	}
}

// targetValue is the reward for coming into a state and the discounted value of what
// follows.
func (l *qAgent) targetValue(s int, value func(s int) float64) float64 {
	switch {
	case s == l.task.Goal:
		return 1
	case !l.task.reachesGoal[s]:
		return 0
	}
	return float64(l.task.Gamma * value(s))
}

// update moves the value of a choice towards a target.
func (l *qAgent) update(s, choice int, target float64) {
	if l.updated != nil {
		l.updated[s*l.numChoices()+choice] = true
	}
	q := l.choiceValues(s)
	q[choice] += float64(l.training.Alpha * (target - q[choice]))
}

// updateIntraOption is intra-option Q-learning: a step teaches every choice that would have
// done the same. Where a choice goes on, what it is worth there counts, and where it
// ends, or would be left, the best. That an option is cut after a number of steps
// is not counted.
func (l *qAgent) updateIntraOption(s, a, next int) {
	best := 0.0
	if !l.task.isOver(next) {
		best = l.maxValue(next)
	}
	onward := func(choice int) float64 {
		if o := l.optionOf(choice); o == nil || l.training.Interrupt || !o.CanStart(next) {
			return best
		}
		return l.choiceValues(next)[choice]
	}
	for choice := range l.numChoices() {
		if l.isAvailable(choice, s) && l.actionOf(choice, s) == a {
			l.update(s, choice, l.targetValue(next, func(int) float64 { return onward(choice) }))
		}
	}
}
