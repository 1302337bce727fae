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
func (s *server) group(r *request) (reply.Answer, error) {
	if len(r.query["q"]) == 0 {
		return reply.Answer{}, schema.Hint(reply.Errorf(http.StatusBadRequest, "no runs to compare"),
			"give a filter: ?q=seed%%3D0-29; ?q=env%%3D* takes all")
	}
	l, err := s.selected(r.Context(), r.query["q"], "")
	switch {
	case err != nil:
		return reply.Answer{}, err
	case len(l.runs) == 0:
		return reply.Answer{}, report.NewNoRunsError(r.query["q"])
	}
	if err := tooMany(len(l.runs), "runs", s.limits.clustered); err != nil {
		return reply.Answer{}, err
	}
	selected := slices.Clone(l.runs) // a copy, since OpenGroup reorders its argument
	for _, run := range selected {
		if err := tooLarge(run); err != nil {
			return reply.Answer{}, err
		}
	}
	by, err := r.one("by", "")
	if err != nil {
		return reply.Answer{}, err
	}
	if by != "" && by != string(diff.Purposes) && by != string(diff.Options) {
		return reply.Answer{}, schema.Hint(reply.Errorf(http.StatusBadRequest, "by %q", by), "write options or purposes")
	}
	runs, err := diff.OpenGroup(r.Context(), s.Store, selected, diff.Kind(by))
	if err != nil {
		return reply.Answer{}, err
	}
	g, err := diff.ClusterRuns(r.Context(), runs, diff.GroupOptions{By: diff.Kind(by)})
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(g)
}
