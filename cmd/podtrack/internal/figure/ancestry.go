package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Ancestry shows an option with the earlier options whose steps are its evidence, and with the later ones of whose
// evidence its steps are, by the lanes of their purposes.
type Ancestry struct {
	Option      string           `json:"option"`
	Options     []AncestryOption `json:"options"`     // the option itself first, then the largest influence first
	Descendants []AncestryOption `json:"descendants"` // the largest influence first
	Links       []AncestryLink   `json:"links"`

	lanes []diff.Lineage // of the run's purposes
}

// AncestryOption is an option with its share of the evidence.
type AncestryOption struct {
	Option    string  `json:"option"`
	K         int     `json:"k"`
	Influence float64 `json:"influence"`
	Depth     int     `json:"depth"`
}

// AncestryLink is the share of the evidence for one option that was collected under another one,
// or under a primitive action.
type AncestryLink struct {
	From  string  `json:"from"`
	To    string  `json:"to"`
	Share float64 `json:"share"`
}

// NewAncestry returns the figure of an option's audit and its effects, in the lanes of its run's purposes.
func NewAncestry(r *why.Report, e *why.Effects, lanes []diff.Lineage) (Ancestry, error) {
	f := Ancestry{Option: r.Option, Options: []AncestryOption{{Option: r.Option, K: r.K, Influence: 1}}, lanes: lanes}
	for _, a := range r.Ancestors {
		ref, err := report.ParseRef(a.Option)
		if err != nil {
			return f, err
		}
		f.Options = append(f.Options, AncestryOption{
			Option: a.Option, K: ref.K, Influence: a.Influence, Depth: a.Depth,
		})
	}
	for _, l := range r.Edges {
		f.Links = append(f.Links, AncestryLink{From: l.From, To: l.To, Share: l.Share})
	}
	for _, d := range e.Descendants {
		ref, err := report.ParseRef(d.Option)
		if err != nil {
			return f, err
		}
		f.Descendants = append(f.Descendants, AncestryOption{
			Option: d.Option, K: ref.K, Influence: d.Influence, Depth: d.Depth,
		})
		f.Links = append(f.Links, AncestryLink{From: r.Option, To: d.Option, Share: d.Share})
	}
	if len(r.Ancestors) == 0 && len(e.Descendants) == 0 {
		return f, schema.Advise(fmt.Errorf("%w: %s has no ancestors: all of its evidence was collected under "+
			"primitive actions; and no descendants", ErrEmpty, r.Option), AdviceLaterOptions,
			strings.SplitN(r.Option, ":", 2)[0])
	}
	return f, nil
}

// Table implements [Figure].
func (a Ancestry) Table() DataTable {
	t := DataTable{Columns: []string{"from", "to", "share", "depth", "influence"}}
	known := map[string]AncestryOption{}
	for _, o := range slices.Concat(a.Options, a.Descendants) {
		known[o.Option] = o
	}
	for _, l := range a.Links {
		name := l.From
		if name == a.Option { // the other end is a descendant
			name = l.To
		}
		depth, influence := "", ""
		if o, ok := known[name]; ok {
			depth, influence = fmt.Sprint(o.Depth), textfmt.FormatExact(&o.Influence)
		}
		t.add(l.From, l.To, textfmt.FormatExact(&l.Share), depth, influence)
	}
	return t
}

// Limits of an ancestry's chart: it shows the options with the largest influence.
const (
	minInfluence = 0.01
	maxOptions   = 24 // each of ancestors and of descendants
)

// laneNode is the options of one direction in one iteration, of either sign or of both.
type laneNode struct {
	k, j      int
	signs     string // in the order of their influence
	influence float64
	kind      int // nodeOption, …
}

const (
	nodeAncestor = iota
	nodeDescendant
	nodeOption
)

// lane is a purpose with its shown nodes, over the iterations in which it goes on.
type lane struct {
	first, last int
	name        string // K/J of the first
	nodes       []laneNode
}

func (a Ancestry) caption() string {
	return fmt.Sprintf("Ancestors and descendants of option %s by iteration: earlier options under which its evidence "+
		"was collected, and later options of whose evidence some was collected under it.", a.Option)
}

func (a Ancestry) chart() chart.Chart {
	lanes, left := a.drawnLanes()
	self := a.Options[0].K
	last := self
	for _, l := range lanes {
		for _, n := range l.nodes {
			last = max(last, n.k)
		}
	}
	p := chart.Panel{Y: chart.RowAxis("purpose (first iteration/j)", nil), Height: 15 * float64(len(lanes)+1)}
	var strokes, nodes []chart.Mark
	for i, l := range lanes {
		y := -float64(i)
		p.Y.Ticks = append(p.Y.Ticks, chart.Tick{At: y, Text: l.name})
		goesOn := []chart.Point{{X: float64(l.first), Y: y}, {X: float64(min(l.last, last)), Y: y}}
		p.Marks = append(p.Marks, chart.Line{Points: goesOn, Ink: chart.Gridline, Width: 2})
		for _, n := range l.nodes {
			x := float64(n.k)
			strokes = append(strokes, chart.Line{Points: []chart.Point{{X: x, Y: y}, {X: float64(self), Y: y}},
				Ink: chart.WithOpacity(n.ink(), 0.45), Width: 0.5 + 4*n.influence})
			nodes = append(nodes,
				chart.Dots{Points: []chart.Point{{X: x, Y: y}}, Ink: n.ink(), Glyph: n.glyph(), Size: n.size()},
				chart.Label{At: chart.Point{X: x, Y: y}, Text: fmt.Sprint(n.j) + n.signs})
		}
	}
	bus := chart.Line{Points: []chart.Point{{X: float64(self)}, {X: float64(self), Y: 1 - float64(len(lanes))}},
		Ink: chart.Faint, Width: 0.8}
	p.Marks = append(p.Marks, bus)
	p.Marks = slices.Concat(p.Marks, strokes, nodes)
	p.Y.Low, p.Y.High = 0.5-float64(len(lanes)), 0.8
	p.X = chart.Axis{Label: "iteration that found the option", Low: -0.4, High: float64(last) + 0.4, Whole: true,
		Plain: true}
	return chart.Chart{Title: "Lineage of " + a.Option, Columns: 1, Panels: []chart.Panel{p}, Notes: a.notes(left),
		Keys: a.keys(lanes)}
}

// keys returns the legend of the kinds of nodes that lanes have.
func (a Ancestry) keys(lanes []lane) (keys []chart.Key) {
	for _, kind := range []int{nodeOption, nodeAncestor, nodeDescendant} {
		isDrawn := slices.ContainsFunc(lanes, func(l lane) bool {
			return slices.ContainsFunc(l.nodes, func(n laneNode) bool { return n.kind == kind })
		})
		if n := (laneNode{kind: kind}); isDrawn {
			text := []string{nodeAncestor: "ancestor", nodeDescendant: "descendant", nodeOption: a.Option}[kind]
			keys = append(keys, chart.Key{Text: text, Ink: n.ink(), Glyph: n.glyph(), Bare: true})
		}
	}
	return keys
}

func (a Ancestry) notes(left int) []string {
	note := "A row is a purpose over the iterations in which it goes on; a mark is named by j and sign, and both signs " +
		"share one. Marks and strokes: influence, on the option from the left and of it on the right."
	if left > 0 {
		note += " Not drawn: " + textfmt.CountOf(left, "option") + " of less influence."
	}
	return []string{note}
}

func (l laneNode) ink() chart.Ink {
	return chart.SeriesInk([]int{nodeAncestor: 0, nodeDescendant: 2, nodeOption: 1}[l.kind])
}

func (l laneNode) glyph() chart.Glyph {
	return []chart.Glyph{nodeAncestor: chart.Disc, nodeDescendant: chart.Square, nodeOption: chart.Diamond}[l.kind]
}

// size returns the radius of a node's mark, in points.
func (l laneNode) size() float64 { return 1.2 + 2*math.Sqrt(min(l.influence, 1)) }

// drawnNodes returns the nodes to draw, the option first, and the number of options that are left out.
func (a Ancestry) drawnNodes() (nodes []laneNode, left int) {
	add := func(o AncestryOption, kind int) {
		ref, err := report.ParseRef(o.Option)
		if err != nil {
			return // which the constructor refuses
		}
		sign := "+"
		if ref.Sign < 0 {
			sign = "−"
		}
		at := slices.IndexFunc(nodes, func(n laneNode) bool { return n.k == ref.K && n.j == ref.J && n.kind == kind })
		if at < 0 {
			at, nodes = len(nodes), append(nodes, laneNode{k: ref.K, j: ref.J, kind: kind})
		}
		nodes[at].influence += o.Influence
		if nodes[at].signs += sign; len(nodes[at].signs) > len("−") {
			nodes[at].signs = "±"
		}
	}
	add(a.Options[0], nodeOption)
	for kind, options := range [][]AncestryOption{nodeAncestor: a.Options[1:], nodeDescendant: a.Descendants} {
		drawn := 0
		for _, o := range options {
			if o.Influence < minInfluence || drawn == maxOptions {
				left++
				continue
			}
			drawn++
			add(o, kind)
		}
	}
	return nodes, left
}

// drawnLanes returns the lanes that have a node to draw, in the order in which they begin, and the number of options
// that are left out.
func (a Ancestry) drawnLanes() (lanes []lane, left int) {
	nodes, left := a.drawnNodes()
	lanes = make([]lane, len(a.lanes))
	at := map[[2]int]int{} // by iteration and j
	for i, l := range a.lanes {
		for _, name := range l.Purposes {
			if ref, err := report.ParseRef(name); err == nil {
				at[[2]int{ref.K, ref.J}] = i
			}
		}
		_, name, _ := strings.Cut(strings.TrimSuffix(l.Purposes[0], "+"), ":")
		lanes[i] = lane{first: l.First, last: l.First + len(l.Purposes) - 1, name: name}
	}
	for _, n := range nodes {
		i, known := at[[2]int{n.k, n.j}]
		if !known {
			i, lanes = len(lanes), append(lanes, lane{first: n.k, last: n.k, name: fmt.Sprintf("%d/%d", n.k, n.j)})
			at[[2]int{n.k, n.j}] = i
		}
		lanes[i].nodes = append(lanes[i].nodes, n)
	}
	lanes = slices.DeleteFunc(lanes, func(l lane) bool { return len(l.nodes) == 0 })
	slices.SortStableFunc(lanes, func(x, y lane) int { return x.first - y.first })
	return lanes, left
}
