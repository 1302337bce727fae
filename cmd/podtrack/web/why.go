package web

import (
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
)

// why returns the document of podtrack why --json.
func (s *server) why(r *request) (answer, error) {
	q := why.Question{Depth: -1}
	var err error
	if q.Ref, err = report.ParseRef(r.PathValue("run") + ":" + r.PathValue("k") + "/" + r.PathValue("j")); err != nil {
		return answer{}, err
	}
	if r.query.Has("state") {
		state, err := r.number("state", 0, 0, maxStates-1)
		if err != nil {
			return answer{}, err
		}
		n := int(state)
		q.State = &n
	}
	run, err := s.open(r, q.Ref.Run)
	if err != nil {
		return answer{}, err
	}
	audit, err := why.Explain(r.Context(), run, q)
	if err != nil {
		return answer{}, err
	}
	return document(audit)
}
