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

// Summarise summarises a group in the given measures.
func Summarise(g Group, measures []string) Summary {
	setBudgets(&g)
	return summarise(g, measures, g.maxIterations())
}

// SummariseAll summarises groups that were split by the given fields.
func SummariseAll(by []string, groups []Group, measures []string) Summaries {
	all := Summaries{By: by, Level: stats.Level, Interval: stats.StudentT, Last: LastShared(groups)}
	reach := Reach(groups)
	setBudgets(pointers(groups)...)
	for _, g := range groups {
		all.Groups = append(all.Groups, summarise(g, measures, reach))
	}
	return all
}

// pointers returns pointers to groups.
func pointers(groups []Group) (all []*Group) {
	for i := range groups {
		all = append(all, &groups[i])
	}
	return all
}

// summarise summarises iterations 0 to reach − 1.
func summarise(g Group, measures []string, reach int) Summary {
	g.Lacks = g.missingRuns(reach)
	s := Summary{Group: g, Spec: report.Spreads(g.runs)}
	for _, name := range measures {
		series := Series{Measure: name}
		for k := range reach {
			series.Iterations = append(series.Iterations, Cell{K: k, Summary: g.summary(name, k)})
		}
		s.Measures = append(s.Measures, series)
	}
	return s
}

// Summaries are the summaries of several groups.
type Summaries struct {
	By       []string  `json:"by"`
	Level    float64   `json:"level"`    // of every interval
	Interval string    `json:"interval"` // its method
	Last     int       `json:"last"`     // iteration of all groups that have any
	Groups   []Summary `json:"groups"`
}

// Reach returns how many iterations some run has.
func (s Summaries) Reach() int {
	reach := 0
	for _, g := range s.Groups {
		reach = max(reach, g.maxIterations())
	}
	return reach
}
