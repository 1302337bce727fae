package figure

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// scatter shows two columns of runs against each other, a mark for each run.
type scatter struct {
	filter      string
	x, y, color string         // columns; color is "" for one colour
	runs        []report.Run   // that have x and y
	points      []chart.Point  // by run
	missing     int            // runs without x or y
	colors      []report.Value // of the colour column, ascending
	isShaded    bool           // colors are numbers, and too many for a colour each
}

var _ = Register(Kind{
	Name: "scatter", Usage: "two columns of runs against each other, a mark for each run", Args: "FILTER --x KEY --y KEY",
	Example: "bits=7 --x seed --y states_visited", Read: readScatter,
	Choices: []Choice{
		{Name: "x", Usage: "the `KEY` of the horizontal axis: a column of podtrack ls, of numbers"},
		{Name: "y", Usage: "the `KEY` of the vertical axis"},
		{Name: "color", Usage: "colour marks by the column `KEY`, of numbers or words"}},
})

// readScatter reads the columns of the runs that a filter selects.
func readScatter(ctx context.Context, q Request) (Figure, error) {
	s := scatter{filter: report.FormatSelection(report.SplitSelection(q.Args)), x: q.Text("x", ""), y: q.Text("y", ""),
		color: q.Text("color", "")}
	if s.filter == "" || s.x == "" || s.y == "" {
		return nil, schema.Hint(errors.New("plot scatter needs a filter, --x and --y"),
			"such as podtrack plot scatter kappa=0-2 --x kappa --y states_visited")
	}
	var runs []report.Run
	err := q.Store.View(ctx, func(tx *tracker.Tx) (err error) {
		if runs, err = report.SelectSome(tx, q.Args); err != nil {
			return err
		}
		keys := slices.DeleteFunc([]string{s.x, s.y, s.color}, func(key string) bool { return key == "" })
		for _, key := range keys {
			if !report.IsKeyOf(runs, key) {
				return schema.Hint(fmt.Errorf("unknown column %q", key), "%s",
					textfmt.DidYouMean(key, "columns", report.KeysOf(runs)))
			}
		}
		return report.LoadColumns(tx, runs, keys)
	})
	if err == nil {
		err = s.place(runs)
	}
	if err == nil && !s.isShaded {
		err = q.CheckGroups(len(s.colors))
	}
	return WithRuns(s, s.runs...), err
}

// place gives each run that has x and y its point.
func (s *scatter) place(runs []report.Run) error {
	for _, r := range runs {
		x, errX := numberOf(r, s.x)
		y, errY := numberOf(r, s.y)
		switch err := cmp.Or(errX, errY); {
		case err != nil:
			return err
		case x == nil || y == nil:
			s.missing++
		default:
			s.runs, s.points = append(s.runs, r), append(s.points, chart.Point{X: *x, Y: *y})
		}
	}
	if len(s.runs) == 0 {
		return schema.Hint(fmt.Errorf("%w: no run has both %s and %s", ErrEmpty, s.x, s.y),
			"podtrack ls %s --columns run,%s,%s shows what they have", textfmt.ShellQuote(s.filter), s.x, s.y)
	}
	if s.color != "" {
		s.colors = report.TallyField(s.runs, s.color).Values
	}
	isText := func(r report.Run) bool { _, err := numberOf(r, s.color); return err != nil }
	s.isShaded = len(s.colors) > chart.MaxSeries && !slices.ContainsFunc(s.runs, isText)
	return nil
}

// numberOf returns a run's number in a column, nil for none.
func numberOf(r report.Run, key string) (*float64, error) {
	text, _ := r.Field(key)
	if text == "" {
		return nil, nil
	}
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsInf(x, 0) || math.IsNaN(x) {
		return nil, schema.Hint(fmt.Errorf("column %s of run %s is %q, which is not a number", key, r.Label(), text),
			"--x and --y take columns of numbers, such as kappa and states_visited; --color takes any")
	}
	return &x, nil
}

// colorOf returns the text of a run's colour.
func (s scatter) colorOf(r report.Run) string {
	text, _ := r.Field(s.color)
	return text
}

// Table implements [Figure].
func (s scatter) Table() DataTable {
	t := DataTable{Columns: []string{"run", "x", "y", "color"}}
	for i, r := range s.runs {
		t.add(r.ID, s.points[i].X, s.points[i].Y, s.colorOf(r))
	}
	return t
}

func (s scatter) caption() string {
	return fmt.Sprintf("%s; a mark for each of %s, with measures of its last iteration.", s.chart().Title,
		textfmt.CountOf(len(s.runs), "run"))
}

// mostWhole is the range of whole numbers up to which an axis must be told to have no others.
const mostWhole = 12

func (s scatter) chart() chart.Chart {
	c := chart.Chart{Columns: 1,
		Title: fmt.Sprintf("%s against %s of %s", measureLabel(s.y), measureLabel(s.x), s.filter)}
	p := chart.Panel{X: chart.EmptyAxis(measureLabel(s.x)), Y: chart.EmptyAxis(measureLabel(s.y)), Aspect: 0.6}
	p.X.Margin, p.Y.Margin, p.X.Whole, p.Y.Whole = true, true, true, true
	looks, told, seen := s.looks(&c), chart.Readouts{}, map[chart.Point]bool{}
	for i, at := range s.points {
		p.X.Include(at.X)
		p.Y.Include(at.Y)
		p.X.Whole = p.X.Whole && at.X == math.Trunc(at.X) && p.X.High-p.X.Low <= mostWhole
		p.Y.Whole = p.Y.Whole && at.Y == math.Trunc(at.Y) && p.Y.High-p.Y.Low <= mostWhole
		of, k := s.runs[i], looks[s.colorOf(s.runs[i])]
		p.Marks = append(p.Marks, chart.Dots{Points: []chart.Point{at}, Ink: k.Ink, Glyph: k.Glyph})
		seen[at] = true
		told.Add(at.X, at.Y, fmt.Sprintf("%s: %s, %s  %s", of.Label(), palette.Short(at.X), palette.Short(at.Y), k.Text))
	}
	p.Marks = append(p.Marks, told)
	c.Panels = []chart.Panel{p}
	if s.missing > 0 {
		c.Notes = []string{fmt.Sprintf("Not drawn: %s without %s or %s.", textfmt.CountOf(s.missing, "run"), s.x, s.y)}
	}
	if hidden := len(s.points) - len(seen); hidden > 0 {
		c.Notes = append(c.Notes, fmt.Sprintf("Under marks of the same values: %s.", textfmt.CountOf(hidden, "run")))
	}
	return c
}

// looks returns the looks of marks by the text of their colour, and adds the legend or the scale to a chart.
func (s scatter) looks(c *chart.Chart) map[string]chart.Key {
	looks := map[string]chart.Key{"": keyOf(group.Look{}, "")}
	number := func(v report.Value) float64 { x, _ := strconv.ParseFloat(v.Value, 64); return x }
	var low, high float64
	if s.isShaded {
		first := slices.IndexFunc(s.colors, func(v report.Value) bool { return v.Value != "" })
		low, high = number(s.colors[first]), number(s.colors[len(s.colors)-1])
		c.Scale = &chart.Scale{Label: measureLabel(s.color), Low: palette.Short(low), High: palette.Short(high),
			Ink: chart.RampInk}
	}
	for n, v := range s.colors {
		of := s.runs[slices.IndexFunc(s.runs, func(r report.Run) bool { return s.colorOf(r) == v.Value })]
		k := keyOf(group.Look{Number: n}, s.color+" "+cmp.Or(v.Value, "none"))
		if label := report.PlaceLabel(of, s.color); label != "" { // as in every figure of the study
			k = keyOf(group.Look{Number: report.PlaceIndex(of, s.color)}, label)
		}
		if k.Bare = true; s.isShaded {
			k.Ink, k.Glyph = chart.RampInk((number(v)-low)/(high-low)), chart.Disc
		}
		if s.isShaded && v.Value == "" {
			k.Ink = chart.Neutral
		}
		if looks[v.Value] = k; !s.isShaded || v.Value == "" {
			c.Keys = append(c.Keys, k)
		}
	}
	return looks
}
