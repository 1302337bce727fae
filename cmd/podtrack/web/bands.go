package web

import (
	"net/http"

	"github.com/podtrack/podtrack/replay/group"
	"github.com/podtrack/podtrack/schema"
)

// bands returns the curves of groups of runs over the steps, with intervals over the runs: what podtrack plot coverage
// and podtrack plot walk draw with --by.
func (s *server) bands(r *request) (answer, error) {
	curve, err := r.one("curve", string(group.Coverage))
	if err != nil {
		return answer{}, err
	}
	if curve != string(group.Coverage) && curve != string(group.Distance) {
		return answer{}, schema.Hint(coded(http.StatusBadRequest, "unknown curve %q", curve),
			"the curves are %s and %s", group.Coverage, group.Distance)
	}
	q, err := newGrouping(r, 1)
	if err != nil {
		return answer{}, err
	}
	if err := s.checkGroups(r, q, true); err != nil {
		return answer{}, err
	}
	groups, err := s.readGroups(r, q, nil)
	if err != nil {
		return answer{}, err
	}
	b, err := group.ReadBands(r.Context(), s.Store, q.by, groups, group.Curve(curve), group.BandPoints)
	if err != nil {
		return answer{}, err
	}
	return document(b)
}
