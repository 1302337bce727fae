package web

import "github.com/podtrack/podtrack/cmd/podtrack/internal/layout"

// layout returns where the visited states of a run lie, if its environment does not say so.
func (s *server) layout(r *request) (answer, error) {
	run, err := s.walker(r)
	if err != nil {
		return answer{}, err
	}
	l, err := layout.Read(r.Context(), run)
	if err != nil {
		return answer{}, err
	}
	return document(l)
}
