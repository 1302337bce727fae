package api

import (
	"context"
	"errors"
	"net/http"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// incomparable is the document about two that cannot be compared by meaning: why not, and how their specs differ.
type incomparable struct {
	Spec         []report.SpecDifference `json:"spec"`
	Incomparable reply.Failure           `json:"incomparable"`
}

// diff returns the document of podtrack diff --json for two runs, iterations or
// options. With specs, two that cannot be compared have a document, too.
func (s *server) diff(r *request) (reply.Answer, error) {
	refA, refB, err := diffRefs(r)
	if err != nil {
		return reply.Answer{}, err
	}
	a, err := s.openToCompare(r, refA.Run)
	if err != nil {
		return reply.Answer{}, err
	}
	b, err := s.openToCompare(r, refB.Run)
	if err != nil {
		return reply.Answer{}, err
	}
	specs, err := r.isOn("specs")
	if err != nil {
		return reply.Answer{}, err
	}
	found, err := compared(r.Context(), a, refA, b, refB)
	if specs && errors.Is(err, diff.ErrIncomparable) {
		return reply.JSON(incomparable{
			report.SpecDifferences(specOf(a, refA), specOf(b, refB)), reply.NewFailure(err),
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
			err = schema.Hint(reply.Errorf(http.StatusBadRequest, "no %s to compare", name),
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
func compared(ctx context.Context, a *diff.Side, refA report.Ref, b *diff.Side, refB report.Ref) (reply.Answer, error) {
	if refA.IsOption() {
		var err error
		if refA, err = report.ResolveRef(a.Records, refA); err != nil {
			return reply.Answer{}, err
		}
		if refB, err = report.ResolveRef(b.Records, refB); err != nil {
			return reply.Answer{}, err
		}
		report, err := diff.CompareOptions(ctx, a, refA, b, refB, diff.Limits{})
		if err != nil {
			return reply.Answer{}, err
		}
		return reply.JSON(report)
	}
	report, err := diff.CompareRefs(ctx, a, refA, b, refB, diff.Limits{})
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(report)
}

// compare returns the document of podtrack compare --json.
func (s *server) compare(r *request) (reply.Answer, error) {
	measures, err := measuresAsked(r)
	if err != nil {
		return reply.Answer{}, err
	}
	field, err := r.one("paired", "")
	if err != nil {
		return reply.Answer{}, err
	}
	q, err := newGrouping(r, 2)
	if err != nil {
		return reply.Answer{}, err
	}
	groups, err := s.readGroups(r, q, measures)
	if err != nil {
		return reply.Answer{}, err
	}
	c, err := group.Compare(r.Context(), groups, field, measures)
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(c)
}
