package figure

import (
	"bytes"
	"encoding/xml"
	"flag"
	"image/png"
	"io"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
)

var update = flag.Bool("update", false, "write the pictures that are drawn now into testdata")

// drawn returns small figures made by hand, one of each kind of mark.
func drawn() map[string]Figure {
	half, one, two, eight := 0.5, 1.0, 2.0, int64(8)
	visited := []explore.FirstVisit{{State: 0}, {State: 7, Steps: 1}, {State: 1, Steps: 3}, {State: 6, Steps: 8}}
	visitedCells := []explore.FirstVisit{{State: 0}, {State: 1, Steps: 1}, {State: 3, Steps: 8}}
	pair := func(a string, cosine float64, matched bool) diff.Pair {
		return diff.Pair{A: a, B: a, Cosine: cosine, Matched: matched}
	}
	a, b := stats.Summary{N: 3, Mean: &half, SD: &half}, stats.Summary{N: 3, Mean: &two, SD: &half}
	plan := GridLayout{
		Rows: 2, Columns: 3,
		Cells: []envs.Cell{
			{Row: 0, Column: 0}, {Row: 0, Column: 1}, {Row: 0, Column: 2}, {Row: 1, Column: 0}, {Row: 1, Column: 2},
		},
	}
	corridor := make([]envs.Cell, 40)
	for i := range corridor {
		corridor[i].Column = i
	}
	return map[string]Figure{
		"plan": gridOption{
			Title: "Option a:0/1+", Plan: plan, Actions: []string{"up", "right", "down", "left"},
			Values: []float64{0, 1, 2, 0.5, 1}, Policy: []int8{-1, 3, 2, 0, 1},
		},
		"plan of a corridor": gridOption{
			Title: "Option a:0/1+", Actions: []string{"up", "right", "down", "left"}, Plan: GridLayout{
				Rows: 1, Columns: 40, Cells: corridor},
			Values: make([]float64, 40), Policy: slices.Repeat([]int8{-1, 1, 3, 0}, 10),
		},
		"plans": selectedPurposes{Title: "Eigenpurposes of a", Features: []string{"row", "column"}, Plan: &plan,
			Purposes:   []positivePurpose{{0, 1, 3, []float64{1, -0.5}}, {0, 2, 0.5, []float64{0, 0}}},
			potentials: [][]float64{{0, -0.5, -1, 1, 0}, {0, 0, 0, 0, 0}}},
		"eigenpurpose": Eigenpurpose{Title: "Eigenpurpose a:0/1+", Features: []string{"bit0", "bit1", "bit2"},
			Weights: []float64{0.6, -0.8, 0}},
		"potential": Eigenpurpose{Title: "Eigenpurpose a:0/1+", Features: []string{"row", "column"},
			Weights: []float64{1, -0.5}, Plan: &plan,
			potential: []float64{0, -0.5, -1, 1, 0}},
		"evaluation": Learning{Title: "Options of a:0 put to use, goal r1c11", Limit: 9, Seeds: 2, Episodes: []int{1, 2},
			Verdict: "By area, options differ from primitive actions by 0.4.",
			Curves: []evaluate.Curve{
				{
					Arm:   task.ArmOptions,
					Steps: []*stats.Estimate{{Value: 4, Low: &two, High: new(6.0)}, {Value: 2, Low: &two, High: &two}},
					Return: []*stats.Estimate{
						{Value: 0.5, Low: &half, High: &half}, {Value: 1, Low: &half, High: new(1.5)},
					},
				},
				{
					Arm: task.AgainstPrimitives, Steps: []*stats.Estimate{{Value: 9}, {Value: 3}},
					Return: []*stats.Estimate{{Value: 0}, {Value: 0.7}},
				}}},
		"measures": Measures{Filter: "hide=3", Of: group.Summaries{By: []string{"kappa"}, Level: 0.95,
			Interval: stats.StudentT, Groups: []group.Summary{
				{Group: ofKappa("1", 0), Measures: []group.Series{{Measure: "distance", Iterations: []group.Cell{
					{K: 0, Summary: withInterval(a, 0.2, 0.9)}, {K: 1, Summary: withInterval(b, 1.5, 2.5)}}}}},
				{Group: ofKappa("2", 0), Measures: []group.Series{{Measure: "distance", Iterations: []group.Cell{
					{K: 0, Summary: withInterval(b, 1, 3)}, {K: 1}}}}},
			}}},
		"group": RunSimilarity{
			By: diff.Purposes, Runs: []string{"a", "c", "b"}, Chance: new(0.4), ChanceP95: new(0.7),
			Similarity: [][]*float64{{&one, new(0.9), &half}, {new(0.9), &one, &half}, {&half, &half, nil}},
		},
		"bands": Bands{Filter: "bits=7", Of: group.Bands{Steps: []int64{0, 1, 3}, States: []int{8, 128},
			Summaries: group.Summaries{By: []string{"kappa"}, Level: 0.95, Interval: stats.StudentT, Groups: []group.Summary{
				{Group: ofKappa("1", 3),
					Measures: []group.Series{{Iterations: []group.Cell{
						{K: 0, Summary: stats.Summary{N: 3, Mean: &one, Low: &one, High: &one}},
						{K: 1, Summary: stats.Summary{N: 3, Mean: &two, Low: &one, High: &two}},
						{K: 2, Summary: stats.Summary{N: 2, Mean: new(3.0), Low: new(2.5), High: new(4.0)}}}}}},
				{Group: ofKappa("2", 1),
					Measures: []group.Series{{Iterations: []group.Cell{
						{K: 0, Summary: stats.Summary{N: 1, Mean: &one}}, {K: 1, Summary: stats.Summary{N: 1, Mean: &one}},
						{K: 2}}}}},
			}}}},
		"visits": firstVisits{Title: "First visits of a", Steps: 9, States: &eight, Boundaries: []int64{4}, columns: 99,
			axis: palette.Axis{Label: "state (coordinate on the ring)", First: -4}, count: 8, all: visited, First: visited},
		"visits of a grid": firstVisits{Title: "First visits of a:0", single: true, Steps: 9, Plan: &plan,
			States: &eight, all: visitedCells, First: visitedCells[:2]},
		"walk": Walk{Title: `Position <over> "time" & 'space'`, Steps: 4, Boundaries: []int64{2}, Tracks: []Trace{
			{Name: "x<y>&z", Points: []chart.Point{{X: 0, Y: 0}, {X: 1, Y: 1}, {X: 2, Y: 2}, {X: 3, Y: 1}, {X: 4, Y: 2}}},
			{Name: primitiveName, Primitive: true,
				Points: []chart.Point{{X: 0, Y: 0}, {X: 1, Y: -1}, {X: 2, Y: 0}, {X: 3, Y: -1}, {X: 4, Y: 0}}}}},
		"walks": Walk{Title: "Position over time", Steps: 9, Boundaries: []int64{1, 2, 3, 4, 5, 6, 7, 8}, Tracks: []Trace{
			{Name: strings.Repeat("long-name-", 9) + ":3",
				Points: []chart.Point{{X: 0, Y: 0}, {X: 3, Y: 2}, {X: 6, Y: -1}, {X: 9, Y: 4}}},
			{Name: "b", Points: []chart.Point{{X: 0, Y: 0}, {X: 4, Y: -4}, {X: 8, Y: 0}}},
			{Name: primitiveName, Primitive: true, Points: []chart.Point{{X: 0, Y: 0}, {X: 9, Y: 1}}}}},
		"spectrum": Spectrum{Title: "Singular values of a", Iterations: []IterationSpectrum{
			{K: 0, Sigma: []float64{9, 3, 0}, Kappa: 1, Select: schema.Threshold, Limit: &one, Selected: []int{1, 2}},
			{
				K: 1, Sigma: []float64{12, 4, 0.5}, Kappa: 2, Select: schema.Threshold, Limit: &two,
				Selected: []int{1, 2},
			}}},
		"purposes": selectedPurposes{
			Title: "Eigenpurposes of a", Features: []string{"bit0", "bit1"},
			Purposes: []positivePurpose{{0, 1, 3, []float64{1, -0.5}}, {1, 1, 3, []float64{0, 1}}},
		},
		"option": lineOption{Title: "Option a:0/1+", Axis: "state", Actions: []string{"left", "right", endsName}, Bins: []bin{
			{0, 0, 0, 0, 0, []float64{0, 0, 1}}, {1, 1, 2, 2, 2, []float64{1, 0, 0}},
			{2, 2, 1, 1, 1, []float64{0, 1, 0}}}},
		"diff": Similarity{
			A: "a", B: "b",
			Iterations: []diff.Comparison{
				{
					Cosine: &half, Threshold: 0.9, Chance: diff.ChanceLevel{Mean: 0.4, P95: 0.7},
					Pairs: []diff.Pair{
						pair("a:0/1+", 0.95, true), pair("a:0/1-", 0.95, true), pair("a:0/2+", -0.2, false),
					},
				},
			},
		},
		"outcomes": Outcomes{Of: outcomes()},
		"profiles": Outcomes{Of: outcomes(), Profile: true},
		"scatter":  scatterOf(nil, 6, "seed", "kappa", "kappa"),
		"shades":   scatterOf(nil, 9, "kappa", "seed", "seed"),
		"coverage": Coverage{
			Title: "States visited over time", Steps: 3, States: []int{8},
			Tracks: []Trace{{Name: "a", Points: []chart.Point{{X: 0, Y: 1}, {X: 3, Y: 3}}}},
		},
	}
}

// outcomes is a study of two settings and four variants, one of which is better than both baselines in one setting,
// and worse in the other, where less is better.
func outcomes() *group.StudyComparison {
	c := &group.StudyComparison{Study: "rooms", Title: "Which explores?", Iterations: 3, Baselines: []string{"a", "b"},
		Correction: runset.Holm, Comparisons: 8, Level: 0.95, EachLevel: 0.99375}
	more := func(baseline string) group.VariantContrast {
		return group.VariantContrast{Baseline: baseline, Verdict: stats.More, Pairs: new(2),
			Effect: stats.Effect{Difference: &stats.Estimate{Value: 5, Low: new(2.0), High: new(8.0)}}}
	}
	unsettled := []group.VariantContrast{{Baseline: "a", Verdict: stats.Unsettled}}
	for _, s := range []runset.Setting{{Name: "ring", Outcome: runset.Outcome{Measure: "distance", Over: runset.OverMean}},
		{Name: "rooms", Label: "four rooms", Outcome: runset.Outcome{
			Measure: "steps_to_half", Over: runset.OverLast, Lower: true}}} {
		c.Settings = append(c.Settings, group.SettingComparison{Setting: s, Variants: []group.VariantOutcome{
			{Variant: runset.Variant{Name: "a"}, Summary: stats.Summary{N: 1, Mean: new(3.0)},
				Profile: stats.Profile([]float64{3})},
			{Variant: runset.Variant{Name: "b", Label: "basis"}, Summary: stats.Summary{N: 2, Mean: new(4.0)},
				Against: unsettled},
			{Variant: runset.Variant{Name: "none"}},
			{Variant: runset.Variant{Name: "c", Label: "a label that is longer than half of a column of a paper, by far"},
				Summary:  withInterval(stats.Summary{N: 2, Mean: new(8.0)}, 7, 9),
				Outcomes: []group.Outcome{{Value: new(7.5)}, {Value: new(8.5)}},
				Profile:  stats.Profile([]float64{7.5, 8.5}), Against: []group.VariantContrast{more("a"), more("b")}},
		}})
		for i := range c.Settings[len(c.Settings)-1].Variants {
			c.Settings[len(c.Settings)-1].Variants[i].Place = i
		}
	}
	return c
}

func render(t *testing.T, f Figure, format, theme string) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := Write(&b, f, format, chart.Style{Width: 3.25 * 72, Theme: theme, Title: true}); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestGolden compares pictures with those that a person looked at. Of a PNG the pixels count: how they are compressed
// is up to Go's version. Processors that fuse products round a pixel differently here and there.
func TestGolden(t *testing.T) {
	for name, f := range drawn() {
		checkGolden(t, name, f)
	}
}

// checkGolden compares the pictures of a figure with those of its name in testdata.
func checkGolden(t *testing.T, name string, f Figure) {
	for _, file := range []struct{ format, theme string }{{"svg", "light"}, {"png", "dark"}} {
		if file.format == "png" && !slices.Contains([]string{"walk", "purposes", "option", "diff", "plan"}, name) {
			continue // pixels are large; all marks are in those
		}
		t.Run(name+"."+file.format, func(t *testing.T) {
			got := render(t, f, file.format, file.theme)
			if again := render(t, f, file.format, file.theme); !bytes.Equal(got, again) {
				t.Fatal("two pictures of one figure differ")
			}
			path := filepath.Join("testdata", name+"."+file.format)
			if *update {
				if err := os.WriteFile(path, got, 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if file.format == "svg" && !bytes.Equal(got, want) || file.format == "png" &&
				runtime.GOARCH == "amd64" && !bytes.Equal(pixels(t, got), pixels(t, want)) {
				t.Errorf("differs from %s; look at the picture, and if it is right, "+
					"go test ./cmd/podtrack/internal/figure -update", path)
			}
		})
	}
}

// pixels returns a PNG's, four numbers each.
func pixels(t *testing.T, picture []byte) []byte {
	t.Helper()
	img, err := png.Decode(bytes.NewReader(picture))
	if err != nil {
		t.Fatal(err)
	}
	var all []byte
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			r, g, b, a := img.At(x, y).RGBA()
			all = append(all, byte(r>>8), byte(g>>8), byte(b>>8), byte(a>>8))
		}
	}
	return all
}

// TestEscapes reads an SVG back: names that look like markup are text.
func TestEscapes(t *testing.T) {
	d := xml.NewDecoder(bytes.NewReader(render(t, drawn()["walk"], "svg", "light")))
	var texts []string
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if text, is := token.(xml.CharData); is {
			texts = append(texts, strings.TrimSpace(string(text)))
		}
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{"x<y>&z", `Position <over> "time" & 'space'`} {
		if !strings.Contains(all, want) {
			t.Errorf("no text %q", want)
		}
	}
	strange := Walk{Title: "bad \x00\x1b\xff\ufffe text", Tracks: []Trace{{Name: "a\x01"}}}
	if err := xml.Unmarshal(render(t, strange, "svg", "dark"), new(struct{})); err != nil {
		t.Errorf("text that XML cannot hold: %v", err)
	}
}

func withInterval(s stats.Summary, low, high float64) stats.Summary {
	s.Low, s.High = &low, &high
	return s
}

// TestGroupChance: the scale of a group's purposes has its chance level at the number that the comparison reports.
func TestGroupChance(t *testing.T) {
	g := diff.Clustering{By: diff.Purposes, Runs: make([]diff.Member, 2)}
	g.Chance = diff.ChanceLevel{Draws: 5, Mean: 0.4, P95: 0.7}
	g.Iterations = []diff.Agreement{{Of: diff.Purposes, Chance: new(0.9)}}
	if f, err := NewRunSimilarity(g); err != nil || *f.Chance != 0.4 || *f.ChanceP95 != 0.7 {
		t.Errorf("chance is %v, %v: %v", *f.Chance, *f.ChanceP95, err)
	}
}

// TestGroupScale: the scale of a group spans the similarities of different runs and the chance level. That of a run and
// itself is on no scale.
func TestGroupScale(t *testing.T) {
	matrix := func(x *float64) [][]*float64 { return [][]*float64{{new(1.0), x}, {x, new(1.0)}} }
	for _, c := range []struct {
		x, chance *float64
		low, high string
		note      string
	}{
		{new(0.5), new(0.4), "0.40", "0.50", "Grey: a run and itself, always 1 and not on the scale."},
		{new(0.3), new(0.4), "0.30", "0.40", "Grey: a run and itself, always 1 and not on the scale."},
		{new(0.5), nil, "0.49", "0.50", "Grey: a run and itself, always 1 and not on the scale."},
		{nil, nil, "0.00", "1.00", "Grey: a run and itself, always 1 and not on the scale; no iteration in which both " +
			"selected something."},
	} {
		f := RunSimilarity{Runs: []string{"a", "b"}, Similarity: matrix(c.x), Chance: c.chance}
		drawn := f.chart()
		cells := drawn.Panels[0].Marks[0].(chart.Cells)
		if s := drawn.Scale; s.Low != c.low || s.High != c.high || !slices.Contains(drawn.Notes, c.note) ||
			!math.IsNaN(cells.Rows[0][0]) || !math.IsNaN(cells.Rows[1][1]) || c.x != nil && cells.Rows[0][1] != *c.x {
			t.Errorf("%v beside %v: from %s to %s, %v, %q", c.x, c.chance, s.Low, s.High, cells.Rows, drawn.Notes)
		}
	}
}

// ofKappa returns a group of so many runs that has a value of κ.
func ofKappa(value string, runs int) group.Group {
	return group.Group{Values: []string{value}, Names: []string{"kappa " + value}, Runs: make([]group.Member, runs)}
}
