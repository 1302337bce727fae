package group

import (
	"strings"

	"github.com/podtrack/podtrack/replay/report"
)

// A Look is what tells a series of a figure from others: its colour and its marker are those of its number.
type Look struct {
	Number int
	Line   int    // among the lines of series with the same number
	Name   string // the label in a study, "" for other runs
}

// LooksOf returns the looks of sets of runs. A variant of a study has the same look in all figures, by its place in the
// study, whichever others are beside it; so has a setting. Other sets are numbered.
func LooksOf(sets [][]report.Run) []Look {
	for _, by := range [][]string{{"variant"}, {"setting"}, {"variant", "setting"}} {
		if looks := placedLooks(sets, by); looks != nil {
			return looks
		}
	}
	looks := make([]Look, len(sets))
	for i := range looks {
		looks[i].Number = i
	}
	return looks
}

// placedLooks returns the looks of sets, each of which has its own values of the given parts of places in one study;
// nil for other sets.
func placedLooks(sets [][]report.Run, by []string) (looks []Look) {
	study, places := "", map[string]bool{}
	for _, runs := range sets {
		var own Look
		for i, r := range runs {
			if len(r.Places) != 1 || study != "" && r.Places[0].Study != study {
				return nil
			}
			study = r.Places[0].Study
			its := Look{Number: report.PlaceIndex(r, by[0])}
			var labels []string
			for _, part := range by {
				labels = append(labels, report.PlaceLabel(r, part))
			}
			if its.Name = strings.Join(labels, ", "); len(by) > 1 {
				its.Line = report.PlaceIndex(r, by[1])
			}
			if i > 0 && its != own {
				return nil
			}
			own = its
		}
		if len(runs) == 0 || places[own.Name] {
			return nil
		}
		places[own.Name] = true
		looks = append(looks, own)
	}
	return looks
}

// Looks returns the looks of groups.
func Looks(groups ...Group) []Look {
	var sets [][]report.Run
	for _, g := range groups {
		sets = append(sets, g.runs)
	}
	return LooksOf(sets)
}
