package table1

import (
	_ "embed"
	"math"
	"reflect"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// formula states how z is computed; [z] implements it.
const formula = "z = (mean − paper_mean) / (s·√(1/n + 1/30)), s our standard deviation, at least 1/√12 for a count"

// Study is the file of the study whose runs are those of the table.
//
//go:embed table1.toml
var Study string

// Measure compares the measures of groups with the paper: a group for each reading and observability, as the values by
// which the groups of the study were split.
func Measure(groups []group.Group, runs int) Table {
	t := Table{Runs: runs, Formula: formula}
	for _, s := range group.SummariseAll(nil, groups, MetricNames()).Groups {
		for _, o := range Observabilities {
			if o.Name == s.Values[1] {
				t.Settings = append(t.Settings, Setting{
					Reading: s.Values[0], Observability: o.Name, Runs: runs, Metrics: rows(o, s.Measures),
				})
			}
		}
	}
	t.Verdicts = t.verdicts()
	t.Spread = t.remarkOnSpreads()
	return t
}

func rows(o Observability, measures []group.Series) []Row {
	var rows []Row
	for i, metric := range Metrics {
		row := Row{Metric: metric.Name}
		for column, paper := range o.Paper[i] {
			row.Cells = append(row.Cells, cell(metric, paper, column, measures[i].Iterations))
		}
		rows = append(rows, row)
	}
	addSDRatios(rows)
	return rows
}

func cell(metric Metric, paper *Reported, column int, iterations []group.Cell) Cell {
	c := Cell{Column: column}
	if paper == nil {
		return c
	}
	k := column
	if metric.previous {
		k--
	}
	s := iterations[k]
	c.PaperMean, c.PaperSD = &paper.Mean, &paper.SD
	c.N, c.Mean, c.SD = s.N, s.Mean, s.SD
	if c.SD != nil {
		c.Z = z(*c.Mean, *c.SD, metric.Count, c.N, paper.Mean)
	}
	return c
}

// z returns the difference of two means in standard errors. Our own standard deviation stands for
// both samples, since those of the paper look exchanged (see [Remarks]); nil if it is 0.
func z(mean, sd float64, count bool, n int, paper float64) *float64 {
	if count {
		sd = max(sd, 1/math.Sqrt(12))
	}
	se := sd * math.Sqrt(1/float64(n)+1/float64(PaperRuns))
	if se == 0 {
		return nil
	}
	return new((mean - paper) / se)
}

// SettingsFor returns the settings of an observability, one for each reading.
func (t Table) SettingsFor(observability string) []Setting {
	var settings []Setting
	for _, s := range t.Settings {
		if s.Observability == observability {
			settings = append(settings, s)
		}
	}
	return settings
}

// PaperMeans returns a function of the iteration that gives the paper's means for a run with this
// spec: the purposes that it selects, and the length and the distance during it. It returns nil if
// the spec, apart from seed and reading, is not one of the paper's experiment.
func PaperMeans(spec schema.Spec) func(k int) []*float64 {
	for _, o := range Observabilities {
		own := pod.PaperSpec()
		own.Seed, own.Env.Params["hide"] = spec.Seed, o.Hide
		if own.SetReading(spec.Reading()) == nil && reflect.DeepEqual(own, spec) {
			return o.means
		}
	}
	return nil
}

func (o Observability) means(k int) []*float64 {
	at := func(metric, column int) *float64 {
		if column >= Columns || o.Paper[metric][column] == nil {
			return nil
		}
		return &o.Paper[metric][column].Mean
	}
	return []*float64{at(0, k+1), at(1, k), at(2, k)}
}
