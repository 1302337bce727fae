package warnings

import (
	"fmt"
	"time"

	"github.com/podtrack/podtrack/schema"
)

// fewDirections is the number of directions to propose if learning many takes long.
const fewDirections = 10

// Learning describes how much an iteration has to learn.
type Learning struct {
	Spec     schema.Spec
	Options  int64         // to learn
	States   int           // known states
	Unknowns int           // most weights or values that an option can have
	Left     time.Duration // estimated time for the rest
}

// Warning returns the warning that learning takes long in iteration k, which is in execution. No [Reader] finds this
// warning in records.
func (l Learning) Warning(k int) Warning {
	f := Warning{Kind: SlowLearning, K: k, Iterations: 1, Of: 1, Learning: &l, Remedies: []Remedy{}}
	// Where no state recurs, an option of known states would not be called.
	recurs := float64(l.States) < newStates*float64(l.Spec.Steps)*float64(k+1)
	if empirical := l.Spec; empirical.IsLinear() && recurs {
		empirical.Learner = schema.Empirical
		f.propose(empirical, Remedy{Field: "learner", Value: string(schema.Empirical)})
	}
	few := int64(2 * fewDirections)
	if l.Spec.ChoosesSigns() {
		few = fewDirections
	}
	if fewer := l.Spec; 2*few <= l.Options {
		fewer.Select = schema.Select(fmt.Sprintf("%s=%d", schema.ByRank, fewDirections))
		f.propose(fewer, Remedy{Field: "select", Value: string(fewer.Select), Keeps: int(few)})
	}
	return f
}

// propose adds a remedy if the changed spec is valid.
func (w *Warning) propose(changed schema.Spec, r Remedy) {
	if changed.Validate() == nil {
		w.Remedies = append(w.Remedies, r)
	}
}

// recurrence finds that states do not recur. A learner of single states, or a method over states, then learns nothing
// that is ever used again.
func (r *Reader) recurrence(it iteration) {
	steps, m := it.spec.Steps, it.measures
	if it.spec.Env.External == nil || steps < fewestSteps || !needsStates(it.spec) ||
		float64(m.StatesVisited) < newStates*float64(steps) || it.optionShare() >= 1-newStates {
		return
	}
	r.add(Warning{
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
