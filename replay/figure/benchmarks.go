package figure

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"math"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/internal/textform"
)

// Benchmarks shows the times of Go benchmarks against the size that their names give, both on
// logarithmic axes: a straight line is a power of the size.
type Benchmarks struct {
	Panels []BenchmarkPanel `json:"panels"`
}

// BenchmarkPanel is a benchmark that was run with several sizes.
type BenchmarkPanel struct {
	Name   string           `json:"name"` // with its package, such as tracker.ManyRuns
	Size   string           `json:"size"` // the parameter that changes, such as runs
	Curves []BenchmarkCurve `json:"curves"`
}

// BenchmarkCurve holds the times of one variant of a benchmark, by ascending size.
type BenchmarkCurve struct {
	Name     string  `json:"name"`     // the rest of the benchmark's name, "" if there is none
	Times    []Point `json:"times"`    // medians, in seconds an operation
	Exponent float64 `json:"exponent"` // of the power of the size that fits best
}

// benchmarkLine is a line of the output of go test -bench, of which only the time is read.
var benchmarkLine = regexp.MustCompile(`^Benchmark(\S+?)(?:-\d+)?\s+\d+\s+(\S+) ns/op`)

// sizeParameter is a part of a benchmark's name such as runs=1000.
var sizeParameter = regexp.MustCompile(`^([A-Za-z][A-Za-z-]*)=(\d+)$`)

// maxBenchmarkPanels limits the panels of one figure.
const maxBenchmarkPanels = 12

// ReadBenchmarks reads the output of go test -bench. A benchmark takes part if a part of its name,
// such as runs=1000, has several values; of several times of one size it takes the median. The
// error is [ErrEmpty] if none does.
func ReadBenchmarks(r io.Reader) (Benchmarks, error) {
	var all []benchmarkResult
	lines := bufio.NewScanner(r)
	prefix := ""
	for lines.Scan() {
		if pkg, ok := strings.CutPrefix(lines.Text(), "pkg: "); ok {
			prefix = path.Base(pkg) + "."
		}
		m := benchmarkLine.FindStringSubmatch(lines.Text())
		if m == nil {
			continue
		}
		ns, err := strconv.ParseFloat(m[2], 64)
		if err != nil || !(ns > 0) || ns > maxFinite {
			return Benchmarks{}, fmt.Errorf("benchmark %s: time %q", m[1], m[2])
		}
		all = append(all, newBenchmarkResult(prefix+m[1], ns/1e9))
	}
	if err := lines.Err(); err != nil {
		return Benchmarks{}, err
	}
	var f Benchmarks
	for _, p := range groupBenchmarks(all) {
		if p.complete(); len(p.Curves) > 0 && len(f.Panels) < maxBenchmarkPanels {
			f.Panels = append(f.Panels, *p)
		}
	}
	if len(f.Panels) == 0 {
		return f, fmt.Errorf("%w: no benchmark has several sizes in its name, such as runs=1000", ErrEmpty)
	}
	return f, nil
}

// benchmarkResult is one line, with its name taken apart.
type benchmarkResult struct {
	name, size, variant string
	at                  Point
}

func newBenchmarkResult(name string, seconds float64) benchmarkResult {
	parts := strings.Split(name, "/")
	b := benchmarkResult{name: parts[0], at: Point{Y: seconds}}
	var rest []string
	for _, part := range parts[1:] {
		if m := sizeParameter.FindStringSubmatch(part); m != nil && b.size == "" {
			b.size = m[1]
			b.at.X, _ = strconv.ParseFloat(m[2], 64) // digits alone
			continue
		}
		rest = append(rest, part)
	}
	b.variant = strings.Join(rest, "/")
	return b
}

// groupBenchmarks returns a panel for each benchmark with a size, in the order of the lines.
func groupBenchmarks(all []benchmarkResult) (panels []*BenchmarkPanel) {
	for _, b := range all {
		if b.size == "" || b.at.X == 0 {
			continue
		}
		i := slices.IndexFunc(panels, func(p *BenchmarkPanel) bool { return p.Name == b.name && p.Size == b.size })
		if i < 0 {
			i, panels = len(panels), append(panels, &BenchmarkPanel{Name: b.name, Size: b.size})
		}
		p := panels[i]
		j := slices.IndexFunc(p.Curves, func(c BenchmarkCurve) bool { return c.Name == b.variant })
		if j < 0 {
			j, p.Curves = len(p.Curves), append(p.Curves, BenchmarkCurve{Name: b.variant})
		}
		p.Curves[j].Times = append(p.Curves[j].Times, b.at)
	}
	return panels
}

// complete takes medians, drops curves of one size, and fits the others.
func (p *BenchmarkPanel) complete() {
	for i := range p.Curves {
		c := &p.Curves[i]
		c.Times = medians(c.Times)
		c.Exponent = exponentOf(c.Times)
	}
	p.Curves = slices.DeleteFunc(p.Curves, func(c BenchmarkCurve) bool { return len(c.Times) < 2 })
}

// medians returns a point for each x, with the median of its y.
func medians(points []Point) (out []Point) {
	slices.SortFunc(points, func(a, b Point) int { return cmp.Or(cmp.Compare(a.X, b.X), cmp.Compare(a.Y, b.Y)) })
	for i := 0; i < len(points); {
		n := i
		for n < len(points) && points[n].X == points[i].X {
			n++
		}
		out = append(out, Point{points[i].X, (points[(i+n-1)/2].Y + points[(i+n)/2].Y) / 2})
		i = n
	}
	return out
}

// exponentOf returns the exponent of the power that fits the points best, by least squares of the
// logarithms.
func exponentOf(points []Point) float64 {
	var x, y, xx, xy float64
	for _, p := range points {
		lx, ly := math.Log(p.X), math.Log(p.Y)
		x, y, xx, xy = x+lx, y+ly, xx+lx*lx, xy+lx*ly
	}
	n := float64(len(points))
	return (n*xy - x*y) / (n*xx - x*x)
}

// Table implements [Figure].
func (f Benchmarks) Table() DataTable {
	t := DataTable{Columns: []string{"benchmark", "variant", "parameter", "size", "seconds", "exponent"}}
	for _, p := range f.Panels {
		for _, c := range p.Curves {
			for _, at := range c.Times {
				t.add(p.Name, c.Name, p.Size, textform.FormatExact(&at.X), textform.FormatExact(&at.Y),
					textform.FormatExact(&c.Exponent))
			}
		}
	}
	return t
}

func (f Benchmarks) caption() string {
	return "Seconds an operation by size, of Go benchmarks; medians where there are several times of one size."
}

func (f Benchmarks) chart() chart {
	c := chart{title: "Time by size", columns: min(2, len(f.Panels)), narrow: 1}
	var names []string // of variants: one colour each, in all panels
	for _, p := range f.Panels {
		for _, curve := range p.Curves {
			if !slices.Contains(names, curve.Name) {
				names = append(names, curve.Name)
			}
		}
	}
	for i, name := range names {
		if name != "" {
			c.keys = append(c.keys, key{text: name, ink: series(i), dash: dash(i), glyph: glyphs[i%len(glyphs)]})
		}
	}
	for _, p := range f.Panels {
		c.panels = append(c.panels, p.panel(names))
	}
	c.notes = []string{"Both axes are logarithmic. n to a power: the power of the size that fits best."}
	return c
}

func (p BenchmarkPanel) panel(names []string) panel {
	out := panel{x: emptyAxis(p.Size), y: emptyAxis("seconds"), aspect: 0.62}
	out.x.log, out.y.log = true, true
	var fits []string
	for _, c := range p.Curves {
		i := slices.Index(names, c.Name)
		for _, at := range c.Times {
			out.x.include(at.X)
			out.y.include(at.Y)
		}
		out.marks = append(out.marks, line{points: c.Times, ink: series(i), dash: dash(i)},
			dots{points: c.Times, ink: series(i), glyph: glyphs[i%len(glyphs)], size: 1.6})
		fits = append(fits, fmt.Sprintf("n^%.2f", c.Exponent))
	}
	out.title = p.Name + ": " + strings.Join(fits, ", ")
	out.x.low, out.x.high = out.x.low/1.2, out.x.high*1.2
	out.y.low, out.y.high = out.y.low/1.5, out.y.high*1.5
	return out
}
