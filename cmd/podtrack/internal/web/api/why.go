package api

import (
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/why"
)

// why returns the document of podtrack why --json.
func (s *server) why(r *request) (reply.Answer, error) {
	ref, err := pathRef(r)
	if err != nil {
		return reply.Answer{}, err
	}
	run, err := s.open(r, ref.Run)
	if err != nil {
		return reply.Answer{}, err
	}
	audit, err := why.Explain(r.Context(), run, why.Question{Ref: ref})
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(audit)
}
