package why

import (
	"bytes"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/encoding"
	"gonum.org/v1/gonum/graph/encoding/dot"
	"gonum.org/v1/gonum/graph/simple"
)

// drawing reads DOT back.
type drawing struct{ *simple.DirectedGraph }

type parsed struct {
	graph.Node
	id         string
	attributes map[string]string
}

func (d drawing) NewNode() graph.Node {
	return &parsed{Node: d.DirectedGraph.NewNode(), attributes: map[string]string{}}
}

func (p *parsed) SetDOTID(id string) { p.id = id }

func (p *parsed) SetAttribute(a encoding.Attribute) error {
	p.attributes[a.Key] = a.Value
	return nil
}

// TestDOT reads drawings back and compares them with the report.
func TestDOT(t *testing.T) {
	for name, spec := range specs() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			run := performed(t, spec, 4)
			for _, depth := range []*int{nil, new(0), new(1)} {
				checkDrawing(t, asked(t, run, 3, 2, -1, depth))
			}
		})
	}
}

func checkDrawing(t *testing.T, r *Report) {
	t.Helper()
	var text bytes.Buffer
	ok(t, r.DOT(&text))
	g := drawing{simple.NewDirectedGraph()}
	ok(t, dot.Unmarshal(text.Bytes(), g))
	shapes := map[string]string{}
	for _, n := range graph.NodesOf(g.Nodes()) {
		p := n.(*parsed)
		shapes[p.id] = p.attributes["shape"]
		if !strings.HasPrefix(p.attributes["label"], p.id) {
			t.Errorf("%s is labelled %q", p.id, p.attributes["label"])
		}
	}
	checkNodes(t, r, shapes)
	for _, s := range r.Sources {
		drawn := false
		for _, e := range graph.EdgesOf(g.Edges()) {
			drawn = drawn || e.From().(*parsed).id == s.Source && e.To().(*parsed).id == r.Option
		}
		if _, node := shapes[s.Source]; drawn != (s.Share >= 0.01 && node) {
			t.Errorf("an arrow from %s to %s: %v, its share is %v", s.Source, r.Option, drawn, s.Share)
		}
	}
	graphviz(t, text.Bytes())
}

// checkNodes wants the option and every ancestor of weight, and of the actions
// those that are sources of any.
func checkNodes(t *testing.T, r *Report, shapes map[string]string) {
	t.Helper()
	want := map[string]string{r.Option: "box"}
	for _, a := range r.Ancestors {
		if a.Influence >= 0.01 {
			want[a.Option] = "box"
		}
	}
	for name, shape := range shapes {
		if shape == "ellipse" && (name == "left" || name == "right") {
			want[name] = "ellipse"
		}
	}
	if fmt.Sprint(shapes) != fmt.Sprint(want) {
		t.Errorf("%s: drawn are %v, want %v", r.Option, shapes, want)
	}
}

// graphviz lets its own program read the drawing, where there is one.
func graphviz(t *testing.T, text []byte) {
	t.Helper()
	path, err := exec.LookPath("dot")
	if err != nil {
		return
	}
	c := exec.Command(path, "-Tsvg")
	c.Stdin = bytes.NewReader(text)
	if out, err := c.CombinedOutput(); err != nil || !bytes.Contains(out, []byte("<svg")) {
		t.Errorf("graphviz: %v\n%s", err, out)
	}
}
