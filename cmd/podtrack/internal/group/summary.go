package group

import (
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
)

// Summary summarises one group by measure and iteration.
type Summary struct {
	Group
	Spec     []report.Spread `json:"spec"`
	Measures []Series        `json:"measures"`
}

// Series holds a measure over the iterations.
type Series struct {
	Measure    string `json:"measure"`
	Iterations []Cell `json:"iterations"`
}

// Cell summarises a measure in iteration K.
type Cell struct {
	K int `json:"k"`
	stats.Summary
}

// SummariseAll summarises groups that were split by the given fields, in all iterations that some run has.
func SummariseAll(by []string, groups []Group, measures []string) Summaries {
	all := Summaries{By: by, Level: stats.Level, Interval: stats.StudentT, Last: LastShared(groups),
		Reach: Reach(groups)}
	setBudgets(groups)
	for _, g := range groups {
		g.Lacks = g.missingRuns(all.Reach)
		s := Summary{Group: g, Spec: report.Spreads(g.runs)}
		for _, name := range measures {
			series := Series{Measure: name}
			for k := range all.Reach {
				series.Iterations = append(series.Iterations, Cell{K: k, Summary: g.summary(name, k)})
			}
			s.Measures = append(s.Measures, series)
		}
		all.Groups = append(all.Groups, s)
	}
	return all
}

// Summaries are the summaries of several groups.
type Summaries struct {
	By       []string  `json:"by"`
	Level    float64   `json:"level"`    // of every interval
	Interval string    `json:"interval"` // its method
	Last     int       `json:"last"`     // iteration of all groups that have any
	Groups   []Summary `json:"groups"`
	Reach    int       `json:"-"` // how many iterations some run has
}

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
	setBudgets(groups)
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
					o.Value = new(sum / float64(to-from+1))
				}
			}
			all[n] = append(all[n], o)
		}
	}
	return all
}

// summariseOutcomes summarises the outcomes that runs have, which are within a range. The budget is the least of the
// censored outcomes' budgets.
func summariseOutcomes(outcomes []Outcome, r valueRange) stats.Summary {
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
		r.high = *s.Budget
	}
	return s.Within(r.low, r.high)
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
