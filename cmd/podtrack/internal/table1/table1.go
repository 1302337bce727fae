package table1

import (
	"fmt"
	"math"
	"reflect"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// formula states how z is computed; [z] implements it.
const formula = "z = (mean − paper_mean) / (s·√(1/n + 1/30)), s our standard deviation, at least 1/√12 for a count"

// Specs returns the specs of one setting, seeds 0 to runs − 1.
func Specs(reading string, o Observability, runs int) ([]schema.Spec, error) {
	var specs []schema.Spec
	for seed := range runs {
		s, err := settingSpec(reading, o, seed)
		if err != nil {
			return nil, err
		}
		specs = append(specs, s)
	}
	return specs, nil
}

func settingSpec(reading string, o Observability, seed int) (schema.Spec, error) {
	s := pod.PaperSpec()
	s.Seed = uint64(seed)
	s.Env.Params["hide"] = o.Hide
	return s, s.SetReading(reading)
}

// AllSpecs returns the specs of every setting.
func AllSpecs(runs int) ([]schema.Spec, error) {
	var all []schema.Spec
	for _, reading := range schema.Readings() {
		for _, o := range Observabilities {
			specs, err := Specs(reading, o, runs)
			if err != nil {
				return nil, err
			}
			all = append(all, specs...)
		}
	}
	return all, nil
}

// Measure reads the recorded runs and compares them with the paper.
func Measure(tx *tracker.Tx, runs int) (Table, error) {
	t := Table{Runs: runs, Formula: formula}
	for _, reading := range schema.Readings() {
		for _, o := range Observabilities {
			specs, err := Specs(reading, o, runs)
			if err != nil {
				return t, err
			}
			histories, err := read(tx, specs)
			if err != nil {
				return t, fmt.Errorf("%s, %s, %w", reading, o.Name, err)
			}
			t.Settings = append(t.Settings, Setting{
				Reading: reading, Observability: o.Name, Runs: runs, Metrics: rows(o, histories),
			})
		}
	}
	t.Verdicts = t.verdicts()
	t.Spread = t.remarkOnSpreads()
	return t, nil
}

// read returns the measures of each spec's run, by iteration.
func read(tx *tracker.Tx, specs []schema.Spec) ([][]schema.Measures, error) {
	var histories [][]schema.Measures
	for _, spec := range specs {
		id, err := schema.RunID(spec, nil)
		if err != nil {
			return nil, err
		}
		history, err := readRun(tx, id)
		if err != nil {
			return nil, fmt.Errorf("seed %d: %w", spec.Seed, err)
		}
		histories = append(histories, history)
	}
	return histories, nil
}

func readRun(tx *tracker.Tx, id schema.Digest) ([]schema.Measures, error) {
	var history []schema.Measures
	for k := range Columns {
		m, err := report.LoadMeasures(tx, id, k)
		if err != nil {
			return nil, err
		}
		history = append(history, m)
	}
	return history, nil
}

func rows(o Observability, histories [][]schema.Measures) []Row {
	var rows []Row
	for i, metric := range Metrics {
		row := Row{Metric: metric.Name}
		for column := range Columns {
			row.Cells = append(row.Cells, cell(metric, o.Paper[i][column], column, histories))
		}
		rows = append(rows, row)
	}
	addSDRatios(rows)
	return rows
}

func cell(metric Metric, paper *Reported, column int, histories [][]schema.Measures) Cell {
	c := Cell{Column: column}
	if paper == nil {
		return c
	}
	var values []float64
	for _, h := range histories {
		if v := metric.value(h, column); v != nil {
			values = append(values, *v)
		}
	}
	c.PaperMean, c.PaperSD = &paper.Mean, &paper.SD
	s := stats.Summarise(values)
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
		specs, err := Specs(spec.Reading(), o, 1)
		if err != nil {
			return nil
		}
		specs[0].Seed = spec.Seed
		if reflect.DeepEqual(specs[0], spec) {
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
