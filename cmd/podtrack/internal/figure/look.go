package figure

import (
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/replay/report"
)

// A look tells a series from others: by the colour and the marker of its number, and by its line.
type look struct {
	number int
	line   int    // among the lines of series with the same number
	name   string // the label in a study, "" for other runs
}

// lookOf returns the look of the i-th series of a figure.
func lookOf(i int) look { return look{number: i} }

func (l look) ink() chart.Ink     { return chart.SeriesInk(l.number) }
func (l look) dash() chart.Dash   { return groupDash(l.number + chart.MaxSeries*l.line) }
func (l look) glyph() chart.Glyph { return chart.Glyphs[l.number%len(chart.Glyphs)] }

// groupDash returns the line of the i-th group: solid as long as colours last.
func groupDash(i int) chart.Dash { return chart.Dash(i / chart.MaxSeries % (1 + len(chart.Dashes))) }

// looksOf returns the looks of sets of runs. A variant of a study has the same look in all figures, by its place in the
// study, whichever others are beside it; so has a setting. Other sets are numbered.
func looksOf(sets [][]report.Run) []look {
	for _, by := range [][]string{{"variant"}, {"setting"}, {"variant", "setting"}} {
		if looks := placedLooks(sets, by); looks != nil {
			return looks
		}
	}
	looks := make([]look, len(sets))
	for i := range looks {
		looks[i] = lookOf(i)
	}
	return looks
}

// placedLooks returns the looks of sets, each of which has its own values of the given parts of places in one study;
// nil for other sets.
func placedLooks(sets [][]report.Run, by []string) (looks []look) {
	study, places := "", map[string]bool{}
	for _, runs := range sets {
		var own look
		for i, r := range runs {
			if len(r.Places) != 1 || study != "" && r.Places[0].Study != study {
				return nil
			}
			study = r.Places[0].Study
			its := look{number: report.PlaceIndex(r, by[0])}
			var labels []string
			for _, part := range by {
				labels = append(labels, report.PlaceLabel(r, part))
			}
			if its.name = strings.Join(labels, ", "); len(by) > 1 {
				its.line = report.PlaceIndex(r, by[1])
			}
			if i > 0 && its != own {
				return nil
			}
			own = its
		}
		if len(runs) == 0 || places[own.name] {
			return nil
		}
		places[own.name] = true
		looks = append(looks, own)
	}
	return looks
}

// groupLooks returns the looks of groups.
func groupLooks(groups ...group.Group) []look {
	var sets [][]report.Run
	for _, g := range groups {
		sets = append(sets, g.Selected())
	}
	return looksOf(sets)
}

// groupNames returns what groups are called: by their values of the field by which they were split, by their labels in
// a study, or by letters.
func groupNames(groups ...group.Group) []string {
	names := make([]string, len(groups))
	for i, l := range groupLooks(groups...) {
		if names[i] = l.name; l.name == "" || groups[i].Label != "" || len(groups[i].Values) == 1 {
			names[i] = group.NameOf(groups, i)
		}
	}
	return names
}

// describeGroups returns the texts of the keys of groups that are compared: their names and numbers of runs. A group
// that has a letter for a name is described by its filter too.
func describeGroups(groups ...group.Group) []string {
	names := groupNames(groups...)
	for i, g := range groups {
		if names[i] == group.Letter(i) {
			names[i] += ": " + g.Filter
		}
		names[i] += countIn(g)
	}
	return names
}

// runLooks returns the looks of runs, each by itself.
func runLooks(runs []report.Run) []look {
	var sets [][]report.Run
	for _, r := range runs {
		sets = append(sets, []report.Run{r})
	}
	return looksOf(sets)
}
