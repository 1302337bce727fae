package findings

import (
	"github.com/podtrack/podtrack/schema"
)

// recurrence finds that states do not recur. A learner that knows states alone, or a method over states, then learns
// nothing that is ever used.
func (r *Reader) recurrence(it iteration) {
	steps, m := it.spec.Steps, it.measures
	if it.spec.Env.External == nil || steps < fewestSteps || !needsStates(it.spec) ||
		float64(m.StatesVisited) < newStates*float64(steps) || it.optionShare() >= 1-newStates {
		return
	}
	r.add(Finding{
		Kind:     NoRecurrence,
		States:   &States{Steps: steps, Visited: m.StatesVisited, Before: r.first},
		Calls:    &Calls{Available: m.Available, Calls: m.Calls},
		Remedies: []Remedy{{}},
	}, it, it.k+1)
}

// needsStates reports whether options, or purposes, are about single states.
func needsStates(spec schema.Spec) bool {
	return !spec.IsLinear() || spec.Initiation == schema.StartObserved || spec.Method != ""
}
