package pod

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// interrupts says whether an option in force is left in state s, because it is worth
// less than the best choice there. What going on with it is worth must have been
// learned there: of an option that was never followed through s the value is 0, as
// it is at first, and that says nothing.
func (l *practising) interrupts(choice, s int) bool {
	return l.how.Interrupt && l.learned[s*l.size()+choice] && l.values(s)[choice] < l.best(s)
}

// maxPassed bounds the states that are kept of a call.
const maxPassed = 1 << 16

// pass notes a state in which the option in force goes on.
func (l *practising) pass(s int) {
	if !l.how.Interrupt || l.how.Algorithm != schema.SMDP {
		return
	}
	if len(l.passed) == maxPassed {
		l.passed = l.passed[:0]
	}
	l.passed = append(l.passed, s)
}

// learnPassed teaches what going on was worth in the states that a call passed,
// latest first, from the worth of where it ended: each is the start of a shorter
// call. Without that the values that [practising.interrupts] compares would be known
// only where an option was chosen.
func (l *practising) learnPassed(choice int, worth float64) {
	for _, s := range slices.Backward(l.passed) {
		l.learn(s, choice, worth)
		worth = float64(worth * l.task.Gamma)
	}
}

// worth is the reward for coming into a state and the discounted value of what
// follows.
func (l *practising) worth(s int, value func(s int) float64) float64 {
	switch {
	case s == l.task.Goal:
		return 1
	case !l.task.leads[s]:
		return 0
	}
	return float64(l.task.Gamma * value(s))
}

// learn moves the value of a choice towards a target.
func (l *practising) learn(s, choice int, target float64) {
	if l.learned != nil {
		l.learned[s*l.size()+choice] = true
	}
	q := l.values(s)
	q[choice] += float64(l.how.Alpha * (target - q[choice]))
}

// learnStep is intra-option Q-learning: a step teaches every choice that would have
// done the same. Where a choice goes on, what it is worth there counts, and where it
// ends, or would be left, the best. That an option is cut after a number of steps
// is not counted.
func (l *practising) learnStep(s, a, next int) {
	best := 0.0
	if !l.task.over(next) {
		best = l.best(next)
	}
	onward := func(choice int) float64 {
		if o := l.option(choice); o == nil || l.how.Interrupt || !o.CanStart(next) {
			return best
		}
		return l.values(next)[choice]
	}
	for choice := range l.size() {
		if l.has(choice, s) && l.action(choice, s) == a {
			l.learn(s, choice, l.worth(next, func(int) float64 { return onward(choice) }))
		}
	}
}
