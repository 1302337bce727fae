package diff

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// ErrMixedRefs is the error of two references of different kinds, such as a run and an option.
var ErrMixedRefs = errors.New("are of different kinds")

// ParseRefs parses what to compare: two runs, two iterations or two options.
func ParseRefs(a, b string) (refA, refB report.Ref, err error) {
	kinds := []report.RefKind{report.RefRun, report.RefIteration, report.RefOption}
	if refA, err = report.ParseRefOf(a, kinds...); err != nil {
		return refA, refB, err
	}
	if refB, err = report.ParseRefOf(b, kinds...); err != nil {
		return refA, refB, err
	}
	if refA.Kind() != refB.Kind() {
		err = schema.Hint(fmt.Errorf("%s and %s %w", a, b, ErrMixedRefs),
			"give two runs, two iterations RUN:K or two options RUN:#N or RUN:K/J+")
	}
	return refA, refB, err
}

// CompareRefs compares the runs or the iterations that two references name.
func CompareRefs(ctx context.Context, a *Run, refA report.Ref, b *Run, refB report.Ref, limits Limits) (Report, error) {
	if refA.WholeRun {
		return CompareRuns(ctx, a, b, limits)
	}
	return CompareIterations(ctx, a, refA.K, b, refB.K, limits)
}
