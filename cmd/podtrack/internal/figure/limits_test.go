package figure

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestLimits: what a limit allows is drawn, and one more is refused with the limit.
func TestLimits(t *testing.T) {
	svg := Request{Format: "svg"}
	smooth := func(n string) error {
		_, err := Request{Choices: map[string]string{"smooth": n}}.ParseSmooth()
		return err
	}
	schematest.Limits{
		{"runs of a picture over time", "8 runs … 7", CheckParts(7), CheckParts(8)},
		{"groups", "15 groups … 14", svg.CheckGroups(14), svg.CheckGroups(15)},
		{"groups of a table", "15 groups … 14", Request{Format: "csv"}.CheckGroups(15), svg.CheckGroups(15)},
		{"iterations of a moving mean", `"2" … odd number from 3`, smooth("3"), smooth("2")},
		{"runs of a heat map", "1153 runs … 1152", CheckRows(1152, "svg"), CheckRows(1153, "svg")},
		{"runs of a table", "1153 runs … 1152", CheckRows(1153, "csv"), CheckRows(1153, "svg")},
	}.Check(t)
}

// TestShownLimits: what a limit allows is shown whole, and of one more something is left out, with a note where it
// would be missed.
func TestShownLimits(t *testing.T) {
	maps := func(n int) bool {
		f := selectedPurposes{Plan: &GridLayout{Rows: 1, Columns: 1, Cells: make([]envs.Cell, 1)},
			Purposes: make([]positivePurpose, n), potentials: slices.Repeat([][]float64{{1}}, n)}
		c := f.mapChart()
		if len(c.Panels) != min(n, maxMaps) {
			t.Errorf("%d maps of %d purposes", len(c.Panels), n)
		}
		return len(c.Notes) == 0
	}
	named := func(runs int) bool {
		f := RunSimilarity{Similarity: make([][]*float64, runs)}
		for i := range runs {
			f.Runs, f.Similarity[i] = append(f.Runs, fmt.Sprint("r", i)), make([]*float64, runs)
		}
		return slices.ContainsFunc(f.chart().Panels[0].Y.Ticks, func(t chart.Tick) bool { return t.Text == "r0" })
	}
	iterations := func(n int) bool {
		var c chart.Chart
		shade(&c, chart.Key{}, make([]float64, n))
		return len(c.Keys) == n && c.Scale == nil
	}
	fields := func(names ...string) bool {
		return valuesOf(report.Run{Spec: pod.PaperSpec()}, names) != ""
	}
	value := func(n int) bool {
		spec := pod.PaperSpec()
		spec.Env.Text = map[string]string{"level": strings.Repeat("a", n)}
		return valuesOf(report.Run{Spec: spec}, []string{"level"}) != ""
	}
	boundaries := func(n int) bool {
		c := Walk{Steps: 99, Boundaries: make([]int64, n)}.chart()
		notes, keys, marks := len(c.Notes), len(c.Keys), len(c.Panels[0].Marks)
		if notes+keys != 1 || keys != marks {
			t.Errorf("%d boundaries: %d notes, %d keys, %d marks", n, notes, keys, marks)
		}
		return marks == 1
	}
	marks := func(n int, size float64) bool {
		pairs := slices.Repeat([]diff.Pair{{A: "1+"}}, n)
		return (Similarity{Iterations: []diff.Comparison{{Pairs: pairs}}}).markSize() == size
	}
	// kappa is drawn beside a σ of 1.
	kappa := func(limit float64) bool {
		var c chart.Chart
		p := chart.Panel{Y: chart.Axis{Low: 1, High: 1}}
		(Spectrum{Iterations: []IterationSpectrum{{Limit: &limit, Kappa: limit}}}).drawKappas(&p, &c)
		return len(c.Notes) == 0 && len(c.Keys) == 1
	}
	ticks := func(n int) bool { return len(gridTicks(n, 1)) == n }
	dash := func(i int) chart.Dash { return keyOf(group.Look{Number: i}, "").Dash }
	for _, limit := range []struct {
		name       string
		at, beyond bool
	}{
		{"maps", maps(12), maps(13)},
		{"rows with names", rowHeight(70) == namedRow, rowHeight(71) == namedRow},
		{"runs with names", named(70), named(71)},
		{"iterations in a legend", iterations(8), iterations(9)},
		{"groups by colour", dash(6) == chart.Solid, dash(7) == chart.Solid},
		{"fields of a name", fields("kappa", "gamma", "steps"), fields("kappa", "gamma", "steps", "seed")},
		{"the value of a field", value(24), value(25)},
		{"boundaries of iterations", boundaries(60), boundaries(61)},
		{"large marks", marks(30, 2.2), marks(31, 2.2)},
		{"marks", marks(120, 1.6), marks(121, 1.6)},
		{"a small κ", kappa(1e-3), kappa(0.99e-3)},
		{"a large κ", kappa(1e3), kappa(1.01e3)},
		{"rows of a grid", ticks(14), ticks(15)},
	} {
		if !limit.at || limit.beyond {
			t.Errorf("%s: whole at the limit: %t, one beyond: %t", limit.name, limit.at, limit.beyond)
		}
	}
}

// TestTallGrid: the cells of a grid are square, and its panel is not much higher than it is wide.
func TestTallGrid(t *testing.T) {
	for _, c := range []struct{ rows, columns int }{{3, 4}, {5, 4}, {30, 2}, {1, 9}} {
		p := GridLayout{Rows: c.rows, Columns: c.columns}.panel(nil)
		if wide := (p.X.High - p.X.Low) * p.Aspect; math.Abs(wide-float64(c.rows)) > 1e-9 || p.Aspect > maxGridAspect {
			t.Errorf("%d × %d: aspect %g, %g columns", c.rows, c.columns, p.Aspect, p.X.High-p.X.Low)
		}
	}
}
