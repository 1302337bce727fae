package api

import (
	"cmp"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
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
func (s *server) readFields(r *request, runs []report.Run) ([]field, error) {
	fields, err := tracker.Read(s.Store.Within(r.Context()), func(tx *tracker.Tx) ([]field, error) {
		return partsOf(tx, runs)
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

// partsOf returns what the runs are part of: studies, with settings and variants in the order of their study, and tags.
// It leaves out what no run has, and settings and variants if a run has several.
func partsOf(tx *tracker.Tx, runs []report.Run) (fields []field, err error) {
	study, setting, variant, tag, several := part{}, part{}, part{}, part{}, false
	for _, r := range runs {
		places := r.Places
		if places == nil {
			if places, err = tx.MembershipsOf(r.Source); err != nil {
				return nil, err
			}
		}
		if several = several || len(places) > 1; len(places) == 0 {
			places = []tracker.Membership{{}}
		}
		for _, p := range places {
			study.add(p.Study, 0)
			setting.add(p.Setting.Name, p.Cell.Setting)
			variant.add(p.Variant.Name, p.Cell.Variant)
		}
		for _, name := range r.Tags {
			tag.add(name, 0)
		}
		if len(r.Tags) == 0 {
			tag.add("", 0)
		}
	}
	if fields = study.appendTo(fields, "study"); !several {
		fields = variant.appendTo(setting.appendTo(fields, "setting"), "variant")
	}
	return tag.appendTo(fields, "tag"), nil
}

// part counts the runs that are part of something, by its name, with its place in a list.
type part map[string]struct{ runs, place int }

func (p part) add(name string, place int) {
	p[name] = struct{ runs, place int }{p[name].runs + 1, place}
}

// appendTo appends the field with the names, unless the only one is of no part.
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
func (s *server) measures(r *request) (any, error) {
	by, groups, measures, err := s.readGroups(r, 1)
	if err != nil {
		return nil, err
	}
	return group.SummariseAll(by, groups, measures), nil
}
