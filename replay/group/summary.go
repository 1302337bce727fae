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
	reach := g.maxIterations()
	g.Lacks = g.missingRuns(reach)
	s := Summary{Group: g, Spec: report.Spreads(g.runs)}
	for _, name := range measures {
		series := Series{Measure: name}
		for k := range reach {
			series.Iterations = append(series.Iterations, Cell{K: k, Summary: stats.Summarise(g.values(name, k))})
		}
		s.Measures = append(s.Measures, series)
	}
	return s
}
