package api

import (
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
)

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
