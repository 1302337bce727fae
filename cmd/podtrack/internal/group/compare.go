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

// stopped returns an error if the context of the comparison is done.
func stopped(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return schema.Hint(fmt.Errorf("%w; a comparison changes nothing", replay.ErrInterrupted),
		"rerun the command to start again; --measure takes fewer")
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
