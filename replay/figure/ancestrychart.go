package figure

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// Limits of an ancestry's chart: it shows the options with the largest influence and
// the strongest links between them.
const (
	minInfluence = 0.01
	maxOptions   = 24
	maxLinks     = 48
)

func (f Ancestry) caption() string {
	return fmt.Sprintf("Ancestors of option %s: earlier options under which its evidence was collected, by iteration.",
		f.Option)
}

func (f Ancestry) chart() chart {
	drawn := f.drawnOptions()
	p := panel{
		x: axis{label: "iteration that found the option", plain: true, ticks: []tick{}},
		y: axis{ticks: []tick{}, plain: true},
	}
	places := p.placeOptions(drawn)
	links, left := f.strongestLinks(places)
	for _, l := range links {
		p.marks = append(p.marks, link{
			from: places[l.From], to: places[l.To], share: l.Share, ink: withOpacity(series(0), 0.45+0.55*l.Share),
		})
	}
	for i, o := range drawn {
		d := dots{points: []Point{places[o.Option]}, ink: series(0), glyph: disc, size: 1.2 + 2*math.Sqrt(o.Influence)}
		if i == 0 {
			d.ink, d.glyph = series(1), diamond
		}
		_, name, _ := strings.Cut(o.Option, "/")
		p.marks = append(p.marks, d, label{at: places[o.Option], text: strings.Replace(name, "-", "−", 1)})
	}
	return chart{title: "Ancestors of " + f.Option, columns: 1, panels: []panel{p}, notes: []string{
		f.note(len(f.Options)-len(drawn), left),
	},
		keys: []key{
			{text: f.Option, ink: series(1), glyph: diamond, bare: true},
			{text: "ancestor, named by j and sign", ink: series(0), glyph: disc, bare: true},
		}}
}

func (f Ancestry) note(options, links int) string {
	note := "Discs: influence. Arrows: the part of the evidence for an option that was taken under another; the " +
		"rest under primitive actions."
	var left []string
	if options > 0 {
		left = append(left, countOf(options, "option")+" of less influence")
	}
	if links > 0 {
		left = append(left, countOf(links, "weaker arrow"))
	}
	if len(left) > 0 {
		note += " Not drawn: " + strings.Join(left, ", ") + "."
	}
	return note
}

// drawnOptions returns the options to draw, beginning with the explained one.
func (f Ancestry) drawnOptions() (drawn []AncestryOption) {
	for _, o := range f.Options {
		if o.Influence >= minInfluence && len(drawn) <= maxOptions {
			drawn = append(drawn, o)
		}
	}
	return drawn
}

// placeOptions places each option: one column for each iteration with options, the largest
// influence at the top. Neighbouring columns are shifted, so that a long arrow passes between
// their options.
func (p *panel) placeOptions(drawn []AncestryOption) map[string]Point {
	columns := map[int][]string{}
	for _, o := range drawn {
		columns[o.K] = append(columns[o.K], o.Option)
	}
	var ks []int
	most := 1
	for k, names := range columns {
		ks, most = append(ks, k), max(most, len(names))
	}
	slices.Sort(ks)
	places := map[string]Point{}
	for x, k := range ks {
		p.x.ticks = append(p.x.ticks, tick{at: float64(x), text: fmt.Sprint(k)})
		top := float64(len(columns[k])-1)/2 + []float64{0, 0.35, -0.35}[x%3]
		for i, name := range columns[k] {
			places[name] = Point{float64(x), top - float64(i)}
		}
	}
	half := float64(most) / 2
	p.x.low, p.x.high = -0.4, float64(len(ks))-0.6
	p.y.low, p.y.high, p.height = -half-0.3, half+0.6, 16*float64(most+1)
	return places
}

// strongestLinks returns the links between placed options that are drawn, the strongest last, and
// the number of the others. Every option keeps its strongest link.
func (f Ancestry) strongestLinks(places map[string]Point) (links []AncestryLink, left int) {
	most, all := map[string]float64{}, []AncestryLink{}
	for _, l := range f.Links {
		_, from := places[l.From]
		_, to := places[l.To]
		if from && to {
			all = append(all, l)
			most[l.From], most[l.To] = max(most[l.From], l.Share), max(most[l.To], l.Share)
		}
	}
	slices.SortStableFunc(all, func(a, b AncestryLink) int { return cmp.Compare(a.Share, b.Share) })
	for i, l := range all {
		if len(all)-i <= maxLinks || l.Share == most[l.From] || l.Share == most[l.To] {
			links = append(links, l)
		}
	}
	return links, len(all) - len(links)
}
