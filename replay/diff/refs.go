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

// ResolveRef returns a reference to this run that names an option by its iteration and direction,
// given one that may name it by its number.
func (r *Run) ResolveRef(ctx context.Context, ref report.Ref) (report.Ref, error) {
	if !ref.ByNumber {
		return ref, nil
	}
	k, at, err := r.FindOption(r.Iterations, ref.Number)
	if err != nil {
		return ref, err
	}
	it, err := r.readIteration(ctx, k)
	if err != nil {
		return ref, err
	}
	if at >= len(it.purposes) {
		return ref, r.WrapError(k, fmt.Errorf("%w: more options than purposes", schema.ErrMalformed))
	}
	p := it.purposes[at]
	return report.Ref{Run: ref.Run, K: k, J: p.J, Sign: p.Sign}, nil
}

// OptionNumber returns the number of iteration k's option of that direction and sign, nil if it has
// none.
func (r *Run) OptionNumber(ctx context.Context, k, j, sign int) (*int, error) {
	it, err := r.readIteration(ctx, k)
	if err != nil || len(r.Iterations[k].RecordsOf(schema.KindOption)) == 0 {
		return nil, err
	}
	for i, p := range it.purposes {
		if p.J == j && p.Sign == sign {
			number := report.FirstNumbers(r.Iterations[:k])[k] + i
			return &number, nil
		}
	}
	return nil, nil
}

// CompareRefs compares the runs or the iterations that two references name.
func CompareRefs(ctx context.Context, a *Run, refA report.Ref, b *Run, refB report.Ref, limits Limits) (Report, error) {
	if refA.WholeRun {
		return CompareRuns(ctx, a, b, limits)
	}
	return CompareIterations(ctx, a, refA.K, b, refB.K, limits)
}
