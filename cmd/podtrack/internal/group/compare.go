package group

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
)

// Comparison compares two groups by measure and iteration.
type Comparison struct {
	A Group `json:"a"`
	B Group `json:"b"`
	// fields that differ between the groups but not within one
	Differs      []report.SpecDifference `json:"differs"`
	Varies       []Variation             `json:"varies"`       // fields that vary within a group
	Environments []string                `json:"environments"` // fields in which the environments differ
	Both         []Member                `json:"both"`         // runs of both groups
	Pairing      *Pairing                `json:"pairing"`      // nil without pairing
	Level        float64                 `json:"level"`        // of every interval
	Intervals    Intervals               `json:"intervals"`
	Measures     []MeasureComparison     `json:"measures"`
}

// Intervals names the method of each interval.
type Intervals struct {
	Mean        string `json:"mean"`
	Difference  string `json:"difference"`
	Improvement string `json:"improvement"`
}

// intervalsOf returns the methods of a comparison, of pairs or not.
func intervalsOf(paired bool) Intervals {
	of := Intervals{Mean: stats.StudentT, Difference: stats.WelchT, Improvement: stats.Newcombe}
	if paired {
		of.Difference = stats.PairedT
	}
	return of
}

// Variation holds the values of a field of the spec in each group.
type Variation struct {
	Field string   `json:"field"`
	A     []string `json:"a"`
	B     []string `json:"b"`
}

// MeasureComparison compares a measure over the iterations.
type MeasureComparison struct {
	Measure    string `json:"measure"`
	Iterations []Row  `json:"iterations"`
}

// Row compares a measure in iteration K.
type Row struct {
	K     int           `json:"k"`
	A     stats.Summary `json:"a"`
	B     stats.Summary `json:"b"`
	Pairs *int          `json:"pairs"` // behind the effect; nil where nothing was paired
	stats.Effect
}

// Compare compares two groups in the given measures. field is the spec field to pair by, "" for
// none.
func Compare(ctx context.Context, a, b Group, field string, measures []string) (Comparison, error) {
	reach := max(a.maxIterations(), b.maxIterations())
	a.Lacks, b.Lacks = a.missingRuns(reach), b.missingRuns(reach)
	setBudgets(&a, &b)
	c := Comparison{
		A: a, B: b, Environments: differingEnvFields(slices.Concat(a.runs, b.runs)), Both: runsInBoth(a, b),
		Level: stats.Level, Intervals: intervalsOf(field != ""),
	}
	c.compareSpecs()
	if field != "" {
		var err error
		if c.Pairing, err = newPairing(&a, &b, "a", "b", field); err != nil {
			return c, err
		}
	}
	for _, name := range measures {
		contrast, err := c.compareMeasure(ctx, name, reach)
		if err != nil {
			return c, err
		}
		c.Measures = append(c.Measures, contrast)
	}
	return c, nil
}

// compareMeasure compares a measure in iterations 0 to reach − 1.
func (c *Comparison) compareMeasure(ctx context.Context, measure string, reach int) (MeasureComparison, error) {
	contrast := MeasureComparison{Measure: measure}
	for k := range reach {
		if err := stopped(ctx); err != nil {
			return contrast, err
		}
		contrast.Iterations = append(contrast.Iterations, c.row(measure, k))
	}
	return contrast, nil
}

// stopped returns an error if the context of the comparison is done.
func stopped(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return schema.Advise(fmt.Errorf("%w; a comparison changes nothing", replay.ErrInterrupted), AdviceFewerMeasures)
}

// row compares a measure in one iteration.
func (c *Comparison) row(measure string, k int) Row {
	row := Row{K: k, A: c.A.summary(measure, k), B: c.B.summary(measure, k)}
	row.Effect, row.Pairs = effect(&c.A, &c.B, c.Pairing, measure, k, stats.Level)
	return row
}

// effect compares a measure of two groups in one iteration. It returns the number of pairs, nil
// without pairing.
func effect(a, b *Group, p *Pairing, measure string, k int, level float64) (stats.Effect, *int) {
	if p == nil {
		return stats.Compare(a.valuesOf(measure, k), b.valuesOf(measure, k), level), nil
	}
	pairs := pairsOf(a, b, p.runPairs, measure, k)
	n := len(pairs)
	return stats.ComparePairs(pairs, level), &n
}

// compareSpecs lists the fields of the spec in which the groups differ.
func (c *Comparison) compareSpecs() {
	c.Differs, c.Varies = []report.SpecDifference{}, []Variation{}
	for _, field := range report.SpecFields(slices.Concat(c.A.runs, c.B.runs)) {
		a, b := report.FieldValues(c.A.runs, field), report.FieldValues(c.B.runs, field)
		switch {
		case len(a) > 1 || len(b) > 1:
			c.Varies = append(c.Varies, Variation{Field: field, A: a, B: b})
		case a[0] != b[0]:
			c.Differs = append(c.Differs, report.SpecDifference{Field: field, A: a[0], B: b[0]})
		}
	}
}

// runsInBoth returns the runs that are in a and in b.
func runsInBoth(a, b Group) []Member {
	shared := []Member{}
	for _, m := range a.Runs {
		if slices.Contains(b.Runs, m) {
			shared = append(shared, m)
		}
	}
	return shared
}

// differingEnvFields returns the fields in which the runs' environments differ.
func differingEnvFields(runs []report.Run) []string {
	fields := []string{}
	for _, field := range report.SpecFields(runs) {
		of := func(r report.Run) bool { _, is := r.Spec.Env.Params[field]; return is || field == "env" }
		if slices.ContainsFunc(runs, of) && len(report.FieldValues(runs, field)) > 1 {
			fields = append(fields, field)
		}
	}
	other := func(r report.Run) bool { return r.Spec.Env.Version != runs[0].Spec.Env.Version }
	if slices.ContainsFunc(runs, other) {
		fields = append(fields, "version")
	}
	return fields
}
