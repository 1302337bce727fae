package api

import (
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
)

// field is a field of the runs' specs, or their reading, with its values.
type field struct {
	Field  string         `json:"field"`
	Values []report.Value `json:"values"`
	More   int            `json:"more,omitempty"`  // number of values left out
	Usual  bool           `json:"usual,omitempty"` // all runs have the value of the paper's experiment
}

// maxValues is how many values of a field are listed.
const maxValues = 50

// fieldsOf returns the fields of runs. The reading, a name for a combination of some of
// them, comes before the seed, the first field that is not the environment's.
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
