package group

import "github.com/podtrack/podtrack/replay/stats"

// An Outcome is the result of a run: a measure in one iteration, or its mean over several.
type Outcome struct {
	Member
	Seed  uint64   `json:"seed"`
	Value *float64 `json:"value"` // nil if the run has none yet, or it is undefined

	censored bool
}

// Outcomes returns the outcomes of the runs of each group: the mean of a measure over the iterations from one to
// another, both included. Groups of one comparison are given together, since a run that has not reached something
// counts with the budget that all of them had.
func Outcomes(groups []Group, measure string, from, to int) [][]Outcome {
	setBudgets(pointers(groups)...)
	all := make([][]Outcome, len(groups))
	for n := range groups {
		g := &groups[n]
		for i, r := range g.runs {
			o := Outcome{Member: member(r), Seed: r.Spec.Seed}
			sum := 0.0
			for k := from; k <= to; k++ {
				v, isCensored := g.value(i, measure, k)
				o.censored = o.censored || isCensored
				if v == nil {
					break
				}
				if sum += *v; k == to {
					mean := sum / float64(to-from+1)
					o.Value = &mean
				}
			}
			all[n] = append(all[n], o)
		}
	}
	return all
}

// summariseOutcomes summarises the outcomes that runs have. The budget is that of the censored one with the least.
func summariseOutcomes(outcomes []Outcome) stats.Summary {
	s := stats.Summarise(ValuesOf(outcomes))
	for _, o := range outcomes {
		if o.Value != nil && o.censored {
			s.Censored++
			if s.Budget == nil || *o.Value < *s.Budget {
				s.Budget = o.Value
			}
		}
	}
	if s.Budget != nil && *s.Budget == *s.Max {
		restrict(&s)
	}
	return s
}

// ValuesOf returns the values of the outcomes that have one.
func ValuesOf(outcomes []Outcome) (values []float64) {
	for _, o := range outcomes {
		if o.Value != nil {
			values = append(values, *o.Value)
		}
	}
	return values
}

// pairBySeed returns the pairs of outcomes of a and b with the same seed.
func pairBySeed(a, b []Outcome) (pairs []stats.Pair) {
	of := map[uint64]*float64{}
	for _, o := range a {
		of[o.Seed] = o.Value
	}
	for _, o := range b {
		if x := of[o.Seed]; x != nil && o.Value != nil {
			pairs = append(pairs, stats.Pair{A: *x, B: *o.Value})
		}
	}
	return pairs
}
