package api

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// grouping says which groups of runs a request is about.
type grouping struct {
	filters  []string // one for each group; of all runs if they are split
	split    bool
	by       []string // the fields to split by, none for a single group
	baseline string
	least    int // number of groups
}

// newGrouping reads the groups that a request asks for, the baseline first: a and b, or each group, or the runs of q
// split by fields. A single group needs no fields.
func newGrouping(r *request, least int) (q grouping, err error) {
	q.least = least
	fields, err := r.one("by", "")
	if err != nil {
		return q, err
	}
	if q.baseline, err = r.one("baseline", ""); err != nil {
		return q, err
	}
	q.filters = r.query["group"]
	pair := r.query.Has("a") || r.query.Has("b")
	q.split = fields != "" || r.query.Has("q") && least < 2
	switch {
	case q.split && !pair && len(q.filters) == 0:
		q.filters = r.query["q"]
		if fields != "" {
			q.by, err = group.ParseBy(fields)
		}
		return q, err
	case fields != "" || r.query.Has("q"):
		return q, schema.Hint(reply.Errorf(http.StatusBadRequest, "by and q together with a, b or group"),
			"give q and by, or one group= for each group")
	case q.baseline != "":
		return q, schema.Hint(reply.Errorf(http.StatusBadRequest, "baseline without by"), "the first group is the baseline")
	case pair && len(q.filters) > 0:
		return q, schema.Hint(reply.Errorf(http.StatusBadRequest, "a and b together with group"),
			"give one group= for each group")
	case pair || len(q.filters) == 0:
		q.filters = []string{strings.Join(r.query["a"], " "), strings.Join(r.query["b"], " ")}
	case len(q.filters) < least:
		return q, schema.Hint(reply.Errorf(http.StatusBadRequest, "one group to compare"),
			"give group= again for each other one")
	}
	return q, nil
}

// limits bound what is computed at once of many runs. They are checked against the list of runs, before any of their
// records is read.
type limits struct {
	groups    int
	runs      int // of which measures are read
	curves    int // runs of which every step is read
	clustered int // runs that are compared with each other
}

// standardLimits are what a processor does in some seconds, and a browser shows.
var standardLimits = limits{groups: 1000, runs: 20_000, curves: 2000, clustered: 1000}

// checkGroups returns an error if there are too many runs or groups.
func (s *server) checkGroups(r *request, q grouping) error {
	runs, groups := 0, map[string]bool{}
	selections := [][]string{q.filters}
	if !q.split {
		selections = nil
		for _, filter := range q.filters {
			selections = append(selections, []string{filter})
		}
	}
	for i, selection := range selections {
		selection = report.SplitSelection(selection)
		if strings.TrimSpace(strings.Join(selection, "")) == "" {
			continue // an error that reading the group reports
		}
		l, err := s.selected(r.Context(), selection, "")
		if err != nil {
			return err
		}
		runs += len(l.runs)
		for _, run := range l.runs {
			groups[q.groupOf(i, run)] = true
		}
	}
	return cmp.Or(tooMany(runs, "runs", s.limits.runs), tooMany(len(groups), "groups", s.limits.groups))
}

// groupOf returns a name of the group of a run of the i-th selection.
func (g grouping) groupOf(i int, run report.Run) string {
	if !g.split {
		return group.Letter(i)
	}
	var values []string
	for _, field := range g.by {
		text, _ := run.Field(field)
		values = append(values, text)
	}
	return strings.Join(values, "\x00")
}

// tooMany returns an error if n is more than is computed at once.
func tooMany[N int | int64](n N, what string, most N) error {
	if n <= most {
		return nil
	}
	return schema.Hint(reply.Errorf(http.StatusConflict, "%d %s: more than %d are not compared at once", n, what, most),
		"choose fewer runs, for example with a term such as seed=0-29")
}

// readGroups reads measures of the groups that a request asks for.
func (s *server) readGroups(r *request, q grouping, measures []string) (groups []group.Group, err error) {
	if err := s.checkGroups(r, q); err != nil {
		return nil, err
	}
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		if q.split {
			groups, err = group.SelectBy(r.Context(), tx, measures, q.by, q.filters...)
		} else {
			groups, err = group.SelectAll(r.Context(), tx, measures, q.filters)
		}
		return err
	})
	if err == nil && len(groups) < q.least {
		err = schema.Hint(reply.Errorf(http.StatusBadRequest, "only one group"), "choose more runs, or another field")
	}
	switch {
	case err == nil && q.baseline != "":
		err = group.MoveBaseline(groups, q.by, q.baseline)
	case err == nil && q.split && q.least > 1:
		group.ChooseBaseline(groups)
	}
	return groups, err
}
