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
	Resamples    int                     `json:"resamples"`
	Measures     []MeasureComparison     `json:"measures"`
}

// Variation holds the values of a field of the spec in each group.
type Variation struct {
	Field string   `json:"field"`
	A     []string `json:"a"`
	B     []string `json:"b"`
}

// Pairing lists the pairs of runs.
type Pairing struct {
	Field     string   `json:"field"`
	Pairs     int      `json:"pairs"`
	UnpairedA []Member `json:"alone_a"` // without a partner
	UnpairedB []Member `json:"alone_b"`

	runPairs []runPair
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
	c := Comparison{
		A: a, B: b, Environments: differingEnvFields(slices.Concat(a.runs, b.runs)), Both: runsInBoth(a, b),
		Level: stats.Level, Resamples: stats.Resamples,
	}
	c.compareSpecs()
	if field != "" {
		runPairs, alone, err := pair(&a, &b, field)
		if err != nil {
			return c, err
		}
		c.Pairing = &Pairing{
			Field: field, Pairs: len(runPairs), UnpairedA: alone[0], UnpairedB: alone[1], runPairs: runPairs,
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
		if ctx.Err() != nil {
			return contrast, schema.Advise(fmt.Errorf("%w; a comparison changes nothing", replay.ErrInterrupted),
				AdviceFewerMeasures)
		}
		contrast.Iterations = append(contrast.Iterations, c.row(measure, k))
	}
	return contrast, nil
}

// row compares a measure in one iteration.
func (c *Comparison) row(measure string, k int) Row {
	a, b := c.A.values(measure, k), c.B.values(measure, k)
	row := Row{K: k, A: stats.Summarise(a), B: stats.Summarise(b)}
	if c.Pairing == nil {
		row.Effect = stats.Compare(a, b)
		return row
	}
	pairs := pairsOf(&c.A, &c.B, c.Pairing.runPairs, measure, k)
	n := len(pairs)
	row.Pairs, row.Effect = &n, stats.ComparePairs(pairs)
	return row
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
