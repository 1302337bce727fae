package api

import (
	"net/http"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

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
