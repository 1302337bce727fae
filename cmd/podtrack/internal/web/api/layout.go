package api

import (
	"github.com/podtrack/podtrack/cmd/podtrack/internal/layout"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
)

// layout returns where the visited states of a run lie, if its environment does not say so.
func (s *server) layout(r *request) (reply.Answer, error) {
	run, err := s.walker(r)
	if err != nil {
		return reply.Answer{}, err
	}
	l, err := layout.Read(r.Context(), run)
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(l)
}
