package web

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/group"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/table1"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
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

// lineages returns the run's purposes by the iterations in which they continue.
func (s *server) lineages(r *request) (answer, error) {
	run, err := s.open(r, r.PathValue("run"))
	if err != nil {
		return answer{}, err
	}
	lines, err := run.Lineages(r.Context(), diff.Limits{})
	if err != nil {
		return answer{}, err
	}
	return document(lines)
}

// diff returns the document of podtrack diff --json for two runs, iterations or
// options.
func (s *server) diff(r *request) (answer, error) {
	var refs [2]string
	for i, name := range []string{"a", "b"} {
		ref, err := r.one(name, "")
		if err == nil && ref == "" {
			err = schema.Hint(coded(http.StatusBadRequest, "no %s to compare", name),
				"give two references: ?a=RUN&b=RUN")
		}
		if err != nil {
			return answer{}, err
		}
		refs[i] = ref
	}
	refA, refB, err := diff.ParseRefs(refs[0], refs[1])
	if err != nil {
		return answer{}, err
	}
	a, err := s.open(r, refA.Run)
	if err != nil {
		return answer{}, err
	}
	b, err := s.open(r, refB.Run)
	if err != nil {
		return answer{}, err
	}
	return compared(r.Context(), a, refA, b, refB)
}

// compared compares two runs, iterations or options and returns the document.
func compared(ctx context.Context, a *diff.Run, refA report.Ref, b *diff.Run, refB report.Ref) (answer, error) {
	if refA.IsOption() {
		var err error
		if refA, err = a.ResolveRef(ctx, refA); err != nil {
			return answer{}, err
		}
		if refB, err = b.ResolveRef(ctx, refB); err != nil {
			return answer{}, err
		}
		report, err := diff.CompareOptions(ctx, a, refA, b, refB, diff.Limits{})
		if err != nil {
			return answer{}, err
		}
		return document(report)
	}
	report, err := diff.CompareRefs(ctx, a, refA, b, refB, diff.Limits{})
	if err != nil {
		return answer{}, err
	}
	return document(report)
}

// group returns the document of podtrack diff --group --json.
func (s *server) group(r *request) (answer, error) {
	if len(r.query["q"]) == 0 {
		return answer{}, schema.Hint(coded(http.StatusBadRequest, "no runs to compare"),
			"give a filter: ?q=seed%%3D0-29; ?q=env%%3D* takes all")
	}
	l, err := s.selected(r.Context(), r.query["q"], "")
	switch {
	case err != nil:
		return answer{}, err
	case len(l.runs) == 0:
		return answer{}, report.NewNoRunsError(r.query["q"])
	}
	selected := slices.Clone(l.runs) // a copy, since OpenAll reorders its argument
	for _, run := range selected {
		if err := tooLarge(run); err != nil {
			return answer{}, err
		}
	}
	runs, err := diff.OpenAll(r.Context(), s.Store, selected)
	if err != nil {
		return answer{}, err
	}
	by, err := r.one("by", "")
	if err != nil {
		return answer{}, err
	}
	if by != "" && by != string(diff.Purposes) && by != string(diff.Options) {
		return answer{}, schema.Hint(coded(http.StatusBadRequest, "by %q", by), "write options or purposes")
	}
	g, err := diff.ClusterRuns(r.Context(), runs, diff.GroupOptions{By: diff.Kind(by)})
	if err != nil {
		return answer{}, err
	}
	return document(g)
}

// compare returns the document of podtrack compare --json.
func (s *server) compare(r *request) (answer, error) {
	list, err := r.one("measure", strings.Join(table1.MetricNames(), ","))
	if err != nil {
		return answer{}, err
	}
	measures, err := group.ParseMeasures(list)
	if err != nil {
		return answer{}, err
	}
	field, err := r.one("paired", "")
	if err != nil {
		return answer{}, err
	}
	groups, err := s.groups(r, measures)
	if err != nil {
		return answer{}, err
	}
	if len(groups) == 2 {
		c, err := group.Compare(r.Context(), groups[0], groups[1], field, measures)
		if err != nil {
			return answer{}, err
		}
		return document(c)
	}
	c, err := group.CompareAll(r.Context(), groups, field, measures)
	if err != nil {
		return answer{}, err
	}
	return document(c)
}

// groups reads the groups to compare, the baseline first: a and b, or each group, or the runs of q split by fields.
func (s *server) groups(r *request, measures []string) (groups []group.Group, err error) {
	fields, err := r.one("by", "")
	if err != nil {
		return nil, err
	}
	baseline, err := r.one("baseline", "")
	if err != nil {
		return nil, err
	}
	filters := r.query["group"]
	switch pair := r.query.Has("a") || r.query.Has("b"); {
	case fields != "" && !pair && len(filters) == 0:
		return s.split(r, measures, fields, baseline)
	case fields != "" || r.query.Has("q"):
		return nil, schema.Hint(coded(http.StatusBadRequest, "by and q together with a, b or group"),
			"give q and by, or one group= for each group")
	case baseline != "":
		return nil, schema.Hint(coded(http.StatusBadRequest, "baseline without by"), "the first group is the baseline")
	case pair && len(filters) > 0:
		return nil, schema.Hint(coded(http.StatusBadRequest, "a and b together with group"), "give one group= for each group")
	case pair || len(filters) == 0:
		filters = []string{strings.Join(r.query["a"], " "), strings.Join(r.query["b"], " ")}
	case len(filters) == 1:
		return nil, schema.Hint(coded(http.StatusBadRequest, "one group to compare"), "give group= again for each other one")
	}
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		groups, err = group.SelectAll(tx, measures, filters)
		return err
	})
	return groups, err
}

// split reads the runs of q as groups with the same values of fields.
func (s *server) split(r *request, measures []string, fields, baseline string) (groups []group.Group, err error) {
	by, err := group.ParseBy(fields)
	if err != nil {
		return nil, err
	}
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		groups, err = group.SelectBy(tx, measures, by, r.query["q"]...)
		return err
	})
	if err == nil && len(groups) < 2 {
		err = schema.Hint(coded(http.StatusBadRequest, "there is one group"), "choose more runs, or another field")
	}
	if err == nil && baseline != "" {
		err = group.MoveBaseline(groups, by, baseline)
	}
	return groups, err
}

// table1 returns the document of podtrack reproduce table1 --json, over as many seeds
// as the store has in every setting.
func (s *server) table1(r *request) (answer, error) {
	var t table1.Table
	err := s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		seeds, err := table1.CountRecorded(tx)
		if err == nil && seeds == 0 {
			err = schema.Hint(coded(
				http.StatusNotFound, "the store does not have the runs of Table 1, not even those of seed 0"),
				"podtrack reproduce table1 --runs 1 makes them in a second, and podtrack reproduce table1 all %s "+
					"of them",
				strconv.Itoa(table1.PaperRuns*len(schema.Readings())*len(table1.Observabilities)))
		}
		if err == nil {
			t, err = table1.Measure(tx, seeds)
		}
		return err
	})
	if err != nil {
		return answer{}, err
	}
	return document(t)
}
