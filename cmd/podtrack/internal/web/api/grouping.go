package api

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table1"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// choose returns the groups that a request asks for: a and b, or each group, or the runs of q split by fields. A single
// group needs no fields.
func choose(r *request, least int) (c group.Choice, err error) {
	fields, pair := r.one("by", ""), r.query.Has("a") || r.query.Has("b")
	c = group.Choice{Filters: r.query["group"], Baseline: r.one("baseline", ""), Least: least,
		Split: fields != "" || r.query.Has("q") && least < 2}
	switch {
	case r.err != nil:
	case c.Split && !pair && len(c.Filters) == 0:
		if c.Filters = r.query["q"]; fields != "" {
			c.By, err = group.ParseBy(fields)
		}
	case fields != "" || r.query.Has("q"):
		r.refuse("give q and by, or one group= for each group", "by and q together with a, b or group")
	case c.Baseline != "":
		r.refuse("the first group is the baseline", "baseline without by")
	case pair && len(c.Filters) > 0:
		r.refuse("give one group= for each group", "a and b together with group")
	case pair || len(c.Filters) == 0:
		c.Filters = []string{strings.Join(r.query["a"], " "), strings.Join(r.query["b"], " ")}
	case len(c.Filters) < least:
		r.refuse("give group= again for each other one", "one group to compare")
	}
	return c, cmp.Or(err, r.err)
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

// readGroups reads the groups and the measures that a request asks for, those of Table 1 if it names none. It returns
// an error if there are too many runs or groups.
func (s *server) readGroups(r *request, least int) (by []string, groups []group.Group, measures []string, err error) {
	c, err := choose(r, least)
	if err == nil {
		measures, err = group.ParseMeasures(r.one("measure", strings.Join(table1.MetricNames(), ",")))
	}
	if err = cmp.Or(err, r.err); err != nil {
		return nil, nil, nil, err
	}
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		found, err := c.Find(tx)
		if err == nil {
			err = cmp.Or(tooMany(found.Runs(), "runs", s.limits.runs), tooMany(found.Groups(), "groups", s.limits.groups))
		}
		if err == nil {
			groups, err = found.Read(r.Context(), tx, measures)
		}
		return err
	})
	return c.By, groups, measures, err
}

// tooMany returns an error if n is more than is computed at once.
func tooMany(n int, what string, most int) error {
	if n <= most {
		return nil
	}
	return schema.Hint(reply.Errorf(http.StatusConflict, "%d %s: more than %d are not compared at once", n, what, most),
		"choose fewer runs, for example with a term such as seed=0-29")
}
