package explore

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// moment is a run at the end of one of its iterations.
type moment struct {
	run *Summary
	it  *Iteration
}

// measures are the measures of an iteration. Measures of steps are the run's, undefined in iterations that ended before
// the states were visited.
var measures = schema.MeasureTable[moment]{
	{schema.MeasureInfo{Name: "covered", Title: "covered", Unit: "states",
		Meaning: "distinct states that the run visited, in earlier iterations too"},
		func(m moment) *float64 { return toFloat(m.it.Covered) }},
	{schema.MeasureInfo{Name: "covered_share", Title: "covered share", IsShare: true,
		Meaning: "covered, as a share of the states that can be reached from where the run or an episode begins; undefined " +
			"where their number is not known, as of an environment in another process"},
		func(m moment) *float64 { return m.it.CoveredShare }},
	{schema.MeasureInfo{Name: "new_states", Title: "new states",
		Meaning: "states that the run first visited in the iteration; their sum over the iterations is covered"},
		func(m moment) *float64 { return toFloat(m.it.NewStates) }},
	{schema.MeasureInfo{Name: "entropy", Title: "entropy", Unit: "bits",
		Meaning: "of the visits of the iteration, in bits: −Σ p log₂ p over the states, p being a state's share of the " +
			"visits (Shannon 1948; what Hazan et al., *Provably Efficient Maximum Entropy Exploration*, 2019, maximise)"},
		func(m moment) *float64 { return m.it.Entropy }},
	{schema.MeasureInfo{Name: "entropy_normalised", Title: "normalised entropy", IsShare: true,
		Meaning: "entropy, divided by log₂ of the number of states that can be reached: 1 if all are visited equally often"},
		func(m moment) *float64 { return m.it.EntropyNormalised }},
	{stepsInfo("steps_to_quarter", "steps to a quarter", "a quarter"),
		by(func(r *Summary) *int64 { return r.StepsToQuarter })},
	{stepsInfo("steps_to_half", "steps to half", "half"), by(func(r *Summary) *int64 { return r.StepsToHalf })},
	{stepsInfo("steps_to_all", "steps to all", "all"), by(func(r *Summary) *int64 { return r.StepsToAll })},
	{schema.MeasureInfo{Name: "end_sets", Title: "end sets", OfOptions: true,
		Meaning: "distinct termination sets T among the options that the iteration made. T is the complement of I, so it " +
			"is the number of distinct I too, but for options with a start"},
		of(func(d *Diversity) *float64 { return toFloat(&d.EndSets) })},
	{overlapInfo("initiation", "I", 3), of(func(d *Diversity) *float64 { return d.InitiationOverlap })},
	{overlapInfo("termination", "T", 2), of(func(d *Diversity) *float64 { return d.TerminationOverlap })},
	{schema.MeasureInfo{Name: "start_share", Title: "start share", IsShare: true, OfOptions: true, Rank: 1,
		Meaning: "share of all states in which some option of the iteration can start"},
		of(func(d *Diversity) *float64 { return &d.StartShare })},
}

// stepsInfo describes the measure of the steps to a part of the states.
func stepsInfo(name, title, part string) schema.MeasureInfo {
	return schema.MeasureInfo{Name: name, Title: title, Unit: "steps", IsCensored: true,
		Meaning: "steps of the run until " + part + " of the states that can be reached were visited (a partial cover time)" +
			"; of a run undefined up to the iteration in which that happens. In groups a run that has not got so far counts " +
			"as the *budget*"}
}

// overlapInfo describes the measure of how much sets of the options overlap.
func overlapInfo(sets, letter string, rank int) schema.MeasureInfo {
	return schema.MeasureInfo{Name: sets + "_overlap", Title: sets + " overlap", IsShare: true, OfOptions: true,
		Rank: rank,
		Meaning: "Jaccard's coefficient of the sets " + letter + " of two options of the iteration, their intersection as " +
			"a share of their union: the mean over all pairs; undefined with fewer than two options"}
}

func toFloat(n *int64) *float64 {
	if n == nil {
		return nil
	}
	return new(float64(*n))
}

// by returns the measure of a number of steps, nil in iterations that ended before these.
func by(steps func(*Summary) *int64) func(moment) *float64 {
	return func(m moment) *float64 {
		if n := steps(m.run); n != nil && *n <= m.it.Steps {
			return toFloat(n)
		}
		return nil
	}
}

// of returns a measure of the options of an iteration, nil if it made none.
func of(measure func(*Diversity) *float64) func(moment) *float64 {
	return func(m moment) *float64 {
		if m.it.Options == nil {
			return nil
		}
		return measure(m.it.Options)
	}
}

// MeasureInfos describes the measures that [Summary.Get] knows.
func MeasureInfos() []schema.MeasureInfo { return measures.Infos() }

// MeasureNames returns the names that [Summary.Get] knows.
func MeasureNames() []string { return measures.Names() }

// NeedsOptions reports whether a measure needs options, which [ReadVisits] does not read.
func NeedsOptions(name string) bool { return infoOf(name).OfOptions }

// IsCensored reports whether a measure is a time to reach something: it is undefined until a run has reached it.
func IsCensored(name string) bool { return infoOf(name).IsCensored }

// infoOf returns the description of a measure, the zero value if there is none of that name.
func infoOf(name string) schema.MeasureInfo {
	for _, m := range measures {
		if m.Name == name {
			return m.MeasureInfo
		}
	}
	return schema.MeasureInfo{}
}

// Get returns the named measure of iteration k, nil if it is undefined, and whether there is one of
// that name.
func (s *Summary) Get(name string, k int) (*float64, bool) {
	if k >= len(s.Iterations) {
		return nil, slices.Contains(MeasureNames(), name)
	}
	return measures.Get(name, moment{s, &s.Iterations[k]})
}
