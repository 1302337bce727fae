package why

import (
	"fmt"
	"io"
	"strconv"

	"gonum.org/v1/gonum/graph/encoding"
	"gonum.org/v1/gonum/graph/encoding/dot"
	"gonum.org/v1/gonum/graph/simple"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// minDrawnShare is the least share of evidence, or influence, of a source that is drawn.
const minDrawnShare = 0.01

// dotNode is an option or a primitive action. Its texts are quoted here, because Graphviz would
// take text between angle brackets for HTML.
type dotNode struct {
	id     int64
	name   string
	label  string
	action bool
}

func (d dotNode) ID() int64     { return d.id }
func (d dotNode) DOTID() string { return strconv.Quote(d.name) }

func (d dotNode) Attributes() []encoding.Attribute {
	shape := "box"
	if d.action {
		shape = "ellipse"
	}
	return []encoding.Attribute{{Key: "label", Value: strconv.Quote(d.label)}, {Key: "shape", Value: shape}}
}

// dotEdge is the share of the evidence for its head that was collected under its tail.
type dotEdge struct {
	simple.Edge
	share float64
}

func (d dotEdge) Attributes() []encoding.Attribute {
	return []encoding.Attribute{
		{Key: "label", Value: fmt.Sprintf("%.0f %%", 100*d.share)},
		{Key: "penwidth", Value: fmt.Sprintf("%.1f", 0.5+4*d.share)},
	}
}

// DOT writes the option with its ancestors as a Graphviz graph: an arrow is the share of the
// evidence for a purpose that was collected while its source was executing. Shares under 1 % are
// left out.
func (r *Report) DOT(w io.Writer) error {
	g := simple.NewDirectedGraph()
	nodes := map[string]dotNode{}
	add := func(name, label string, action bool) {
		n := dotNode{id: int64(len(nodes)), name: name, label: label, action: action}
		nodes[name] = n
		g.AddNode(n)
	}
	add(r.Option, fmt.Sprintf("%s\nσ %s", r.Option, textfmt.FormatNumber(r.Purpose.Sigma, 3)), false)
	for _, a := range r.Ancestors {
		if a.Influence >= minDrawnShare {
			add(a.Option, fmt.Sprintf("%s\ninfluence %.0f %%", a.Option, 100*a.Influence), false)
		}
	}
	for _, e := range r.Edges {
		to, drawn := nodes[e.To]
		if !drawn || e.Share < minDrawnShare {
			continue
		}
		from, known := nodes[e.From]
		if !known && e.Action {
			add(e.From, e.From, true)
			from, known = nodes[e.From], true
		}
		if known {
			g.SetEdge(dotEdge{Edge: simple.Edge{F: from, T: to}, share: e.Share})
		}
	}
	text, err := dot.Marshal(g, "why", "", "  ")
	if err != nil {
		return fmt.Errorf("draw %s: %w", r.Option, err)
	}
	_, err = fmt.Fprintln(w, string(text))
	return err
}
