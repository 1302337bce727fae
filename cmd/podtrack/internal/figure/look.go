package figure

import (
	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
)

// look draws a [group.Look].
type look struct{ group.Look }

// lookOf returns the look of the i-th series of a figure.
func lookOf(i int) look { return look{group.Look{Number: i}} }

func (l look) ink() chart.Ink     { return chart.SeriesInk(l.Number) }
func (l look) dash() chart.Dash   { return groupDash(l.Number + chart.MaxSeries*l.Line) }
func (l look) glyph() chart.Glyph { return chart.Glyphs[l.Number%len(chart.Glyphs)] }

// groupDash returns the line of the i-th group: solid as long as colours last.
func groupDash(i int) chart.Dash { return chart.Dash(i / chart.MaxSeries % (1 + len(chart.Dashes))) }

// groupLooks returns the looks of groups.
func groupLooks(groups ...group.Group) (looks []look) {
	for _, l := range group.Looks(groups...) {
		looks = append(looks, look{l})
	}
	return looks
}

// key returns the key of the look's series.
func (l look) key(text string) chart.Key {
	return chart.Key{Text: text, Ink: l.ink(), Dash: l.dash(), Glyph: l.glyph()}
}

// groupKeys returns the keys of groups that are compared: their names and numbers of runs. A group that has a letter
// for a name is described by its filter too.
func groupKeys(groups ...group.Group) (keys []chart.Key) {
	names, looks := group.NamesOf(groups...), groupLooks(groups...)
	for i, g := range groups {
		if names[i] == group.Letter(i) {
			names[i] += ": " + g.Filter
		}
		keys = append(keys, looks[i].key(names[i]+countIn(g)))
	}
	return keys
}
