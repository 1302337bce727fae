package figure

import (
	"fmt"
	"math"
	"strings"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
)

// Ancestry is an option with those before it whose steps made it, by iteration.
type Ancestry struct {
	Option  string     `json:"option"`
	Options []Relative `json:"options"` // the option itself first, then the largest influence first
	Links   []Kinship  `json:"links"`
}

// Relative is an option and what of the evidence goes through it.
type Relative struct {
	Option    string  `json:"option"`
	K         int     `json:"k"`
	Influence float64 `json:"influence"`
	Depth     int     `json:"depth"`
}

// Kinship says what part of the evidence for one option was taken under another,
// or under a primitive action.
type Kinship struct {
	From  string  `json:"from"`
	To    string  `json:"to"`
	Share float64 `json:"share"`
}

// leastInfluence is what an option must have to be drawn.
const leastInfluence = 0.01

// NewAncestry takes the audit of an option.
func NewAncestry(r *why.Report) (Ancestry, error) {
	f := Ancestry{Option: r.Option, Options: []Relative{{Option: r.Option, K: r.K, Influence: 1}}}
	for _, a := range r.Ancestors {
		ref, err := report.ParseRef(a.Option)
		if err != nil {
			return f, err
		}
		f.Options = append(f.Options, Relative{Option: a.Option, K: ref.K, Influence: a.Influence, Depth: a.Depth})
	}
	for _, e := range r.Edges {
		f.Links = append(f.Links, Kinship{From: e.From, To: e.To, Share: e.Share})
	}
	if len(r.Ancestors) == 0 {
		return f, schema.Hint(fmt.Errorf("%w: %s has no ancestors: all of its evidence was taken under primitive actions", ErrEmpty, r.Option),
			"options of later iterations have some; podtrack options %s lists them", strings.SplitN(r.Option, ":", 2)[0])
	}
	return f, nil
}

// Table implements [Figure].
func (f Ancestry) Table() Table {
	t := Table{Columns: []string{"from", "to", "share", "depth", "influence"}}
	known := map[string]Relative{}
	for _, o := range f.Options {
		known[o.Option] = o
	}
	for _, l := range f.Links {
		depth, influence := "", ""
		if o, ok := known[l.From]; ok {
			depth, influence = fmt.Sprint(o.Depth), report.Exact(&o.Influence)
		}
		t.add(l.From, l.To, report.Exact(&l.Share), depth, influence)
	}
	return t
}

func (f Ancestry) chart() chart {
	p := panel{x: axis{label: "iteration that found the option", low: -0.25, high: float64(f.Options[0].K) + 0.5, whole: true, plain: true},
		y: axis{low: -0.5, high: 0.5, ticks: []tick{}, plain: true}}
	places, left := map[string]Point{}, 0
	column, most := map[int]int{}, 1
	for _, o := range f.Options {
		if o.Influence < leastInfluence {
			left++
			continue
		}
		places[o.Option] = Point{float64(o.K), -float64(column[o.K])}
		column[o.K]++
		most = max(most, column[o.K])
	}
	p.y.low, p.height = 0.5-float64(most), max(13*float64(most), 62)
	for _, l := range f.Links {
		from, drawn := places[l.From]
		if to, both := places[l.To]; drawn && both {
			p.marks = append(p.marks, link{from: from, to: to, share: l.Share, ink: faded(series(0), 0.4+0.6*l.Share)})
		}
	}
	for i, o := range f.Options {
		if at, drawn := places[o.Option]; drawn {
			d := dots{points: []Point{at}, ink: series(0), glyph: disc, size: 1.2 + 2*math.Sqrt(o.Influence)}
			if i == 0 {
				d.ink, d.glyph = series(1), diamond
			}
			_, name, _ := strings.Cut(o.Option, "/")
			p.marks = append(p.marks, d, label{at: at, text: strings.Replace(name, "-", "−", 1)})
		}
	}
	note := "Discs: influence. Arrows: the part of the evidence for an option that was taken under another; the rest under primitive actions."
	if left > 0 {
		note += fmt.Sprintf(" Not drawn: %d options with an influence under 1 %%.", left)
	}
	return chart{title: "Ancestors of " + f.Option, columns: 1, panels: []panel{p}, notes: []string{note},
		keys: []key{{text: f.Option, ink: series(1), glyph: diamond, bare: true}, {text: "ancestor, named by j and sign", ink: series(0), glyph: disc, bare: true}}}
}
