package group

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
)

// Letter returns the name of the i-th group: a to z, then a1 to z1 and so on.
func Letter(i int) string {
	name := string(rune('a' + i%26))
	if i >= 26 {
		name += strconv.Itoa(i / 26)
	}
	return name
}

// NameOf returns what people call the i-th of some groups: its label, or its value of the field by which the groups
// were split. Groups split by several fields, whose values would fill a table, and groups of filters have letters.
func NameOf(groups []Group, i int) string {
	if label := groups[i].Label; label != "" {
		return label
	}
	if names := groups[i].names; len(names) == 1 {
		return names[0]
	}
	return Letter(i)
}

// LabelFields returns where the labels of groups are, by the values by which they were split, such as 1,as-written, or
// by their letters.
func LabelFields(groups []Group) map[string][]*string {
	fields := map[string][]*string{}
	for i := range groups {
		name := Letter(i)
		if groups[i].Values != nil {
			name = strings.Join(groups[i].Values, ",")
		}
		fields[name] = append(fields[name], &groups[i].Label)
	}
	return fields
}

// Names returns what people call each value of the group, which was split off by the given fields.
func (g Group) Names(by []string) []string {
	if g.names != nil {
		return g.names
	}
	names := make([]string, len(by))
	for i, field := range by {
		names[i] = nameValue(field, g.Values[i])
	}
	return names
}

// Terms lists the given fields, by which the group was split off, with its values.
func (g Group) Terms(by []string) string {
	var terms []string
	for i, field := range by {
		terms = append(terms, report.FormatTerm(field, g.Values[i]))
	}
	return strings.Join(terms, " ")
}

// nameValues returns what people call the values of some fields that runs share: kappa 1, the label of a run, and the
// labels of a setting and a variant.
func nameValues(fields, values []string, runs []report.Run) []string {
	names := make([]string, len(fields))
	for i, field := range fields {
		switch label := report.PlaceLabel(runs[0], field); {
		case label != "":
			names[i] = label
		case field == "run":
			names[i] = runs[0].Label()
		default:
			names[i] = nameValue(field, values[i])
		}
	}
	return names
}

func nameValue(field, value string) string { return field + " " + cmp.Or(value, "none") }
