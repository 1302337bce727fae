package api

import (
	"cmp"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table1"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/web/reply"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
)

// field is a field of the runs' specs, their reading, or what they are part of, with its values.
type field struct {
	Field  string         `json:"field"`
	Values []report.Value `json:"values"`
	More   int            `json:"more,omitempty"`  // number of values left out
	Usual  bool           `json:"usual,omitempty"` // all runs have the value of the paper's experiment
}

// maxValues is how many values of a field are listed.
const maxValues = 50

// readFields returns the fields of runs: what they are part of, then those of their specs.
func (s *server) readFields(r *request, runs []report.Run) (fields []field, err error) {
	err = s.Store.View(r.Context(), func(tx *tracker.Tx) error {
		fields, err = partsOf(tx, runs)
		return err
	})
	return append(append([]field{}, fields...), fieldsOf(runs)...), err
}

// fieldsOf returns the fields of the specs of runs. The reading, a name for a combination of some of them, comes before
// the seed, the first field that is not the environment's.
func fieldsOf(runs []report.Run) []field {
	fields := []field{}
	for _, t := range report.TallyFields(runs) {
		if t.Field == "seed" {
			fields = append(fields, fieldOf(report.TallyField(runs, "reading")))
		}
		fields = append(fields, fieldOf(t))
	}
	return fields
}

// fieldOf returns a tally as a field with at most maxValues values.
func fieldOf(t report.Tally) field {
	more := max(0, len(t.Values)-maxValues)
	usual, _ := (&report.Run{Spec: paper, Reading: paper.Reading()}).Field(t.Field)
	return field{t.Field, slices.Clip(t.Values[:len(t.Values)-more]), more,
		len(t.Values) == 1 && t.Values[0].Value == usual}
}

var paper = pod.PaperSpec()

// parts are the fields of what runs are part of.
var parts = []string{"study", "setting", "variant", "tag"}

// partsOf returns what the runs are part of: studies, with settings and variants in the order of their study, and tags.
// It leaves out what no run has, and settings and variants if a run has several.
func partsOf(tx *tracker.Tx, runs []report.Run) (fields []field, err error) {
	for _, name := range parts {
		counts := part{}
		several := false
		for _, r := range runs {
			values, err := valuesOf(tx, r, name)
			if err != nil {
				return nil, err
			}
			for _, v := range values {
				counts.add(v)
			}
			several = several || len(values) > 1
		}
		if !several || name == "study" || name == "tag" {
			fields = counts.appendTo(fields, name)
		}
	}
	return fields, nil
}

// value is a value of a field of a run, with its place in a study's list.
type value struct {
	text  string
	place int
}

// valuesOf returns the values that a run has in a field: one, but for what it may be part of several times.
func valuesOf(tx *tracker.Tx, r report.Run, field string) (values []value, err error) {
	switch {
	case field == "tag":
		for _, tag := range r.Tags {
			values = append(values, value{text: tag})
		}
	case slices.Contains(parts, field):
		places := r.Places
		if places == nil {
			places, err = tx.MembershipsOf(r.Source)
		}
		for _, p := range places {
			of := map[string]value{"study": {text: p.Study}, "setting": {p.Setting.Name, p.Cell.Setting},
				"variant": {p.Variant.Name, p.Cell.Variant}}
			values = append(values, of[field])
		}
	default:
		text, _ := r.Field(field)
		values = []value{{text: text}}
	}
	if len(values) == 0 {
		values = []value{{}}
	}
	return values, err
}

// part counts the runs that are part of something, by its name, with its place in a list.
type part map[string]struct{ runs, place int }

func (p part) add(v value) {
	p[v.text] = struct{ runs, place int }{p[v.text].runs + 1, v.place}
}

// appendTo appends the field with the names, unless the only one is that of no part.
func (p part) appendTo(fields []field, name string) []field {
	t := report.Tally{Field: name}
	for text, of := range p {
		t.Values = append(t.Values, report.Value{Value: text, Term: report.FormatTerm(name, text), Runs: of.runs})
	}
	slices.SortFunc(t.Values, func(a, b report.Value) int {
		return cmp.Or(cmp.Compare(p[a.Value].place, p[b.Value].place), cmp.Compare(a.Value, b.Value))
	})
	if len(p) == 0 || len(p) == 1 && t.Values[0].Value == "" {
		return fields
	}
	return append(fields, fieldOf(t))
}

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
