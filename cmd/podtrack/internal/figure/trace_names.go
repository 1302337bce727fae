package figure

import (
	"slices"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
)

// traceNames returns what the traces of parts are called. A run without a name, of several, is called by the
// fields in which they differ, such as "seed 1, gamma 0.9", if no other has the same values.
func traceNames(parts []Source) []string {
	var runs []report.Run
	names := make([]string, len(parts))
	for i, p := range parts {
		runs, names[i] = append(runs, p.Described()), p.name()
	}
	_, differing := report.CompareFields(runs)
	called := make([]string, len(parts))
	for i, r := range runs {
		called[i] = valuesOf(r, differing)
	}
	for i, p := range parts {
		isUnique := slices.Index(called, called[i]) == i && !slices.Contains(called[i+1:], called[i])
		if p.WholeRun && runs[i].Name == "" && called[i] != "" && isUnique {
			names[i] = called[i]
		}
	}
	return names
}

// maxNameFields is the number of fields above which a run is better called by its ID.
const maxNameFields = 3

// valuesOf returns the values of a run's fields, "" if they are too many or too long for a legend.
func valuesOf(r report.Run, fields []string) string {
	if len(fields) > maxNameFields {
		return ""
	}
	var values []string
	for _, field := range fields {
		value, has := r.Spec.Get(field)
		if !has || len(value) > 24 || strings.Contains(value, "\n") {
			return ""
		}
		values = append(values, field+" "+value)
	}
	return strings.Join(values, ", ")
}

// sharedSteps returns how many of part i's steps are those of another part, which it is a fork of: a picture has
// them once, as the other's.
func sharedSteps(parts []Source, i int) (shared int64) {
	if !parts[i].WholeRun {
		return 0
	}
	for _, a := range report.Of(parts[i].Records).Ancestors {
		isDrawn := slices.ContainsFunc(parts, func(p Source) bool { return p.WholeRun && p.ID == a.Run })
		if !isDrawn {
			continue
		}
		steps := int64(0)
		for k := range min(a.Until, len(parts[i].Iterations)) {
			steps += parts[i].SpecAt(k).Steps
		}
		shared = max(shared, steps)
	}
	return shared
}
