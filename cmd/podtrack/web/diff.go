package web

import (
	"context"
	"net/http"

	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// lineages returns the run's purposes by the iterations in which they continue.
func (s *server) lineages(r *request) (answer, error) {
	run, err := s.open(r, r.PathValue("run"))
	if err != nil {
		return answer{}, err
	}
	lines, err := run.Lineages(r.Context(), diff.Limits{})
	if err != nil {
		return answer{}, err
	}
	return document(lines)
}

// diff returns the document of podtrack diff --json for two runs, iterations or
// options.
func (s *server) diff(r *request) (answer, error) {
	var refs [2]string
	for i, name := range []string{"a", "b"} {
		ref, err := r.one(name, "")
		if err == nil && ref == "" {
			err = schema.Hint(coded(http.StatusBadRequest, "no %s to compare", name),
				"give two references: ?a=RUN&b=RUN")
		}
		if err != nil {
			return answer{}, err
		}
		refs[i] = ref
	}
	refA, refB, err := diff.ParseRefs(refs[0], refs[1])
	if err != nil {
		return answer{}, err
	}
	a, err := s.open(r, refA.Run)
	if err != nil {
		return answer{}, err
	}
	b, err := s.open(r, refB.Run)
	if err != nil {
		return answer{}, err
	}
	return compared(r.Context(), a, refA, b, refB)
}

// compared compares two runs, iterations or options and returns the document.
func compared(ctx context.Context, a *diff.Run, refA report.Ref, b *diff.Run, refB report.Ref) (answer, error) {
	if refA.IsOption() {
		var err error
		if refA, err = a.ResolveRef(ctx, refA); err != nil {
			return answer{}, err
		}
		if refB, err = b.ResolveRef(ctx, refB); err != nil {
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
