package web

import (
	"context"
	"errors"
	"net/http"

	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// incomparable is the document about two that cannot be compared by meaning: why not, and how their specs differ.
type incomparable struct {
	Spec         []report.SpecDifference `json:"spec"`
	Incomparable failure                 `json:"incomparable"`
}

// diff returns the document of podtrack diff --json for two runs, iterations or
// options. With specs, two that cannot be compared have a document, too.
func (s *server) diff(r *request) (answer, error) {
	refA, refB, err := diffRefs(r)
	if err != nil {
		return answer{}, err
	}
	a, err := s.openToCompare(r, refA.Run)
	if err != nil {
		return answer{}, err
	}
	b, err := s.openToCompare(r, refB.Run)
	if err != nil {
		return answer{}, err
	}
	specs, err := r.isOn("specs")
	if err != nil {
		return answer{}, err
	}
	found, err := compared(r.Context(), a, refA, b, refB)
	if specs && errors.Is(err, diff.ErrIncomparable) {
		return document(incomparable{
			report.SpecDifferences(specOf(a, refA), specOf(b, refB)), newFailure(err),
		})
	}
	return found, err
}

// diffRefs returns the two references that a request compares.
func diffRefs(r *request) (a, b report.Ref, err error) {
	var refs [2]string
	for i, name := range []string{"a", "b"} {
		ref, err := r.one(name, "")
		if err == nil && ref == "" {
			err = schema.Hint(coded(http.StatusBadRequest, "no %s to compare", name),
				"give two references: ?a=RUN&b=RUN")
		}
		if err != nil {
			return a, b, err
		}
		refs[i] = ref
	}
	return diff.ParseRefs(refs[0], refs[1])
}

// specOf returns the spec of a run, or that of the iteration that a reference names.
func specOf(run *diff.Side, ref report.Ref) schema.Spec {
	if ref.WholeRun || ref.K >= len(run.Iterations) {
		return run.Spec
	}
	return run.SpecAt(ref.K)
}

// compared compares two runs, iterations or options and returns the document.
func compared(ctx context.Context, a *diff.Side, refA report.Ref, b *diff.Side, refB report.Ref) (answer, error) {
	if refA.IsOption() {
		var err error
		if refA, err = report.ResolveRef(a.Records, refA); err != nil {
			return answer{}, err
		}
		if refB, err = report.ResolveRef(b.Records, refB); err != nil {
			return answer{}, err
		}
		report, err := diff.CompareOptions(ctx, a, refA, b, refB, diff.Limits{})
		if err != nil {
			return answer{}, err
		}
		return document(report)
	}
	report, err := diff.CompareRefs(ctx, a, refA, b, refB, diff.Limits{})
	if err != nil {
		return answer{}, err
	}
	return document(report)
}
