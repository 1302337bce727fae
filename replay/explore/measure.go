package explore

// measures are the measures of an iteration by name. Those of steps are the run's, as far as they
// were reached by the end of the iteration.
var measures = []struct {
	name, title, unit string
	of                func(*Run, *Iteration) *float64
}{
	{"covered", "covered", "states", func(_ *Run, it *Iteration) *float64 { return toFloat(it.Covered) }},
	{"covered_share", "covered share", "", func(_ *Run, it *Iteration) *float64 { return it.CoveredShare }},
	{"new_states", "new states", "", func(_ *Run, it *Iteration) *float64 { return toFloat(it.NewStates) }},
	{"entropy", "entropy", "bits", func(_ *Run, it *Iteration) *float64 { return it.Entropy }},
	{"entropy_normalised", "normalised entropy", "", func(_ *Run, it *Iteration) *float64 { return it.EntropyNormalised }},
	{"steps_to_quarter", "steps to a quarter", "steps", by(func(r *Run) *int64 { return r.StepsToQuarter })},
	{"steps_to_half", "steps to half", "steps", by(func(r *Run) *int64 { return r.StepsToHalf })},
	{"steps_to_all", "steps to all", "steps", by(func(r *Run) *int64 { return r.StepsToAll })},
	{"end_sets", "end sets", "", of(func(d *Diversity) *float64 { return toFloat(&d.EndSets) })},
	{"initiation_overlap", "initiation overlap", "", of(func(d *Diversity) *float64 { return d.InitiationOverlap })},
	{"termination_overlap", "termination overlap", "", of(func(d *Diversity) *float64 { return d.TerminationOverlap })},
	{"start_share", "start share", "", of(func(d *Diversity) *float64 { return &d.StartShare })},
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
