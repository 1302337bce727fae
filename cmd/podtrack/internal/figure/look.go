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
