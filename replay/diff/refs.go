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
	if refA, err = report.ParseRef(a); err != nil {
		return refA, refB, err
	}
	if refB, err = report.ParseRef(b); err != nil {
		return refA, refB, err
	}
	if (refA.K < 0) != (refB.K < 0) || (refA.J == 0) != (refB.J == 0) {
		err = schema.Hint(fmt.Errorf("%s and %s %w", a, b, ErrMixedRefs),
			"give two runs, two iterations RUN:K or two options RUN:K/J+")
	}
	return refA, refB, err
}

// CompareRefs compares the runs or the iterations that two references name.
func CompareRefs(ctx context.Context, a *Run, refA report.Ref, b *Run, refB report.Ref, limits Limits) (Report, error) {
	if refA.K < 0 {
		return CompareRuns(ctx, a, b, limits)
	}
	return CompareIterations(ctx, a, refA.K, b, refB.K, limits)
}
