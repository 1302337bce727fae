package api

import (
	"cmp"
	"errors"
	"net/http"
	"slices"

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
func (s *server) diff(r *request) (any, error) {
	refA, refB, err := diffRefs(r)
	specs := r.isOn("specs")
	if err = cmp.Or(err, r.err); err != nil {
		return nil, err
	}
	a, err := s.openToCompare(r, refA.Run)
	if err != nil {
		return nil, err
	}
	b, err := s.openToCompare(r, refB.Run)
	if err != nil {
		return nil, err
	}
	var found any
	if refA.IsOption() {
		found, err = diff.CompareOptions(r.Context(), a, refA, b, refB, diff.Limits{})
	} else {
		found, err = diff.CompareRefs(r.Context(), a, refA, b, refB, diff.Limits{})
	}
	if specs && errors.Is(err, diff.ErrIncomparable) {
		return incomparable{report.SpecDifferences(a.SpecOf(refA), b.SpecOf(refB)), reply.NewFailure(err)}, nil
	}
	return found, err
}

// diffRefs returns the two references that a request compares.
func diffRefs(r *request) (a, b report.Ref, err error) {
	var refs [2]string
	for i, name := range []string{"a", "b"} {
		if refs[i] = r.one(name, ""); refs[i] == "" {
			r.refuse("give two references: ?a=RUN&b=RUN", "no %s to compare", name)
		}
	}
	if r.err != nil {
		return a, b, r.err
	}
	return diff.ParseRefs(refs[0], refs[1])
}

// compare returns the document of podtrack compare --json.
func (s *server) compare(r *request) (any, error) {
	field := r.one("paired", "")
	_, groups, measures, err := s.readGroups(r, 2)
	if err != nil {
		return nil, err
	}
	return group.Compare(r.Context(), groups, field, measures)
}

// group returns the document of podtrack diff --group --json.
func (s *server) group(r *request) (any, error) {
	by := diff.Kind(r.one("by", ""))
	switch {
	case r.err != nil:
		return nil, r.err
	case len(r.query["q"]) == 0:
		return nil, schema.Hint(reply.Errorf(http.StatusBadRequest, "no runs to compare"),
			"give a filter: ?q=seed%%3D0-29; ?q=env%%3D* takes all")
	case by != "" && by != diff.Purposes && by != diff.Options:
		return nil, schema.Hint(reply.Errorf(http.StatusBadRequest, "by %q", by), "write options or purposes")
	}
	l, err := s.selected(r.Context(), r.query["q"], "")
	if err == nil && len(l.runs) == 0 {
		err = report.NewNoRunsError(r.query["q"])
	}
	if err == nil {
		err = checkServed(l.runs, s.limits.clustered)
	}
	if err != nil {
		return nil, err
	}
	return diff.ClusterRuns(r.Context(), s.Store, slices.Clone(l.runs), diff.GroupOptions{By: by})
}
