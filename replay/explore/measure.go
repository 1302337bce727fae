package explore

import "strings"

// measures are the measures of an iteration by name. Those of steps are the run's, as far as they
// were reached by the end of the iteration.
var measures = []struct {
	name, title, unit string
	of                func(*Run, *Iteration) *float64
	options           bool // whether it is of the options that the iteration made
	share             bool // whether it is a share, from 0 to 1
}{
	{name: "covered", title: "covered", unit: "states",
		of: func(_ *Run, it *Iteration) *float64 { return toFloat(it.Covered) }},
	{name: "covered_share", title: "covered share", share: true,
		of: func(_ *Run, it *Iteration) *float64 { return it.CoveredShare }},
	{name: "new_states", title: "new states",
		of: func(_ *Run, it *Iteration) *float64 { return toFloat(it.NewStates) }},
	{name: "entropy", title: "entropy", unit: "bits",
		of: func(_ *Run, it *Iteration) *float64 { return it.Entropy }},
	{name: "entropy_normalised", title: "normalised entropy", share: true,
		of: func(_ *Run, it *Iteration) *float64 { return it.EntropyNormalised }},
	{name: "steps_to_quarter", title: "steps to a quarter", unit: "steps",
		of: by(func(r *Run) *int64 { return r.StepsToQuarter })},
	{name: "steps_to_half", title: "steps to half", unit: "steps",
		of: by(func(r *Run) *int64 { return r.StepsToHalf })},
	{name: "steps_to_all", title: "steps to all", unit: "steps",
		of: by(func(r *Run) *int64 { return r.StepsToAll })},
	{name: "end_sets", title: "end sets", options: true,
		of: of(func(d *Diversity) *float64 { return toFloat(&d.EndSets) })},
	{name: "initiation_overlap", title: "initiation overlap", share: true, options: true,
		of: of(func(d *Diversity) *float64 { return d.InitiationOverlap })},
	{name: "termination_overlap", title: "termination overlap", share: true, options: true,
		of: of(func(d *Diversity) *float64 { return d.TerminationOverlap })},
	{name: "start_share", title: "start share", share: true, options: true,
		of: of(func(d *Diversity) *float64 { return &d.StartShare })},
}

func toFloat(n *int64) *float64 {
	if n == nil {
		return nil
	}
	x := float64(*n)
	return &x
}

// by returns a function that returns the steps to something by the end of an iteration, nil if it
// was not reached then.
func by(steps func(*Run) *int64) func(*Run, *Iteration) *float64 {
	return func(r *Run, it *Iteration) *float64 {
		if n := steps(r); n != nil && *n <= it.Steps {
			return toFloat(n)
		}
		return nil
	}
}

// of returns a function that returns a measure of the options that an iteration made, nil if it made
// none.
func of(measure func(*Diversity) *float64) func(*Run, *Iteration) *float64 {
	return func(_ *Run, it *Iteration) *float64 {
		if it.Options == nil {
			return nil
		}
		return measure(it.Options)
	}
}

// MeasureNames returns the names that [Run.Get] knows.
func MeasureNames() []string {
	var names []string
	for _, m := range measures {
		names = append(names, m.name)
	}
	return names
}

// NeedsOptions reports whether a measure is one of options, which [ReadVisits] does not read.
func NeedsOptions(name string) bool {
	for _, m := range measures {
		if m.name == name {
			return m.options
		}
	}
	return false
}

// IsShare reports whether a measure is from 0 to 1.
func IsShare(name string) bool {
	for _, m := range measures {
		if m.name == name {
			return m.share
		}
	}
	return false
}

// IsCensored reports whether runs have a measure only from the iteration on in which they got so far.
func IsCensored(name string) bool { return strings.HasPrefix(name, "steps_to_") }

// MeasureTitle returns what people read as the name of a measure, its unit, "" for a count or a share,
// and whether it is a measure of this package.
func MeasureTitle(name string) (title, unit string, found bool) {
	for _, m := range measures {
		if m.name == name {
			return m.title, m.unit, true
		}
	}
	return "", "", false
}

// Get returns the named measure of iteration k, nil if it is undefined, and whether there is one of
// that name.
func (r *Run) Get(name string, k int) (*float64, bool) {
	for _, m := range measures {
		if m.name == name {
			if k >= len(r.Iterations) {
				return nil, true
			}
			return m.of(r, &r.Iterations[k]), true
		}
	}
	return nil, false
}
