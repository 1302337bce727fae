package api

import (
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table1"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
)

// measures returns the document of podtrack show --group --by --json, also for a single group.
func (s *server) measures(r *request) (reply.Answer, error) {
	measures, err := measuresAsked(r)
	if err != nil {
		return reply.Answer{}, err
	}
	q, err := newGrouping(r, 1)
	if err != nil {
		return reply.Answer{}, err
	}
	groups, err := s.readGroups(r, q, measures)
	if err != nil {
		return reply.Answer{}, err
	}
	return reply.JSON(group.SummariseAll(q.by, groups, measures))
}

// measuresAsked returns the measures that a request names, those of Table 1 if it names none.
func measuresAsked(r *request) ([]string, error) {
	list, err := r.one("measure", strings.Join(table1.MetricNames(), ","))
	if err != nil {
		return nil, err
	}
	return group.ParseMeasures(list)
}
