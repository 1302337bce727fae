package figure

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// scatter shows two columns of runs against each other, a mark for each run.
type scatter struct {
	filter  string
	keys    []string     // columns: of x, of y, and of the colour if there is one
	runs    []report.Run // that have all of them
	missing int          // runs without one of them
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
	s := scatter{filter: report.FormatSelection(report.SplitSelection(q.Args))}
	for _, name := range []string{"x", "y", "color"} {
		if key := q.Get(name); key != nil {
			s.keys = append(s.keys, *key)
		}
	}
	if s.filter == "" || q.Get("x") == nil || q.Get("y") == nil {
		return nil, schema.Hint(errors.New("plot scatter needs a filter, --x and --y"),
			"such as podtrack plot scatter kappa=0-2 --x kappa --y states_visited")
	}
	err := q.Store.View(ctx, func(tx *tracker.Tx) error {
		runs, err := report.SelectSome(tx, q.Args)
		for _, key := range s.keys {
			if err == nil && !report.IsKeyOf(runs, key) {
				err = schema.Hint(fmt.Errorf("unknown column %q", key), "%s",
					textfmt.DidYouMean(key, "columns", report.KeysOf(runs)))
			}
		}
		if err == nil {
			err = report.LoadColumns(tx, runs, s.keys)
		}
		if err == nil {
			err = s.choose(runs)
		}
		return err
	})
	if err == nil {
		err = q.CheckGroups(len(s.chart().Keys))
	}
	return WithRuns(s, s.runs...), err
}

// choose takes the runs that have all columns.
func (s *scatter) choose(runs []report.Run) error {
	for _, r := range runs {
		texts := s.textsOf(r)
		if slices.Contains(texts, "") {
			s.missing++
			continue
		}
		for i, text := range texts[:2] {
			if _, err := strconv.ParseFloat(text, 64); err != nil {
				return schema.Hint(fmt.Errorf("column %s of run %s is %q, not a number", s.keys[i], r.Label(), text),
					"--x and --y take columns of numbers, such as kappa and states_visited; --color takes any")
			}
		}
		s.runs = append(s.runs, r)
	}
	if len(s.runs) == 0 {
		return schema.Hint(fmt.Errorf("%w: no run has %s", ErrEmpty, textfmt.JoinWords(s.keys)),
			"podtrack ls %s --columns run,%s shows what they have", textfmt.ShellQuote(s.filter), strings.Join(s.keys, ","))
	}
	return nil
}

func (s scatter) textsOf(r report.Run) []string {
	return textfmt.Map(s.keys, func(key string) string { text, _ := r.Field(key); return text })
}

// Table implements [Figure].
func (s scatter) Table() DataTable {
	t := DataTable{Columns: []string{"run", "x", "y", "color"}}
	for _, r := range s.runs {
		t.add(r.ID, append(s.textsOf(r), "")[:3])
	}
	return t
}

func (s scatter) caption() string {
	return s.chart().Title + ": a mark for each run, with measures of its last iteration."
}

func (s scatter) chart() chart.Chart {
	x, y := measureLabel(s.keys[0]), measureLabel(s.keys[1])
	c := chart.Chart{Title: fmt.Sprintf("%s against %s of %s", y, x, s.filter), Columns: 1}
	p := chart.Panel{X: chart.EmptyAxis(x), Y: chart.EmptyAxis(y), Aspect: 0.6}
	p.X.Margin, p.Y.Margin, p.X.Whole, p.Y.Whole = true, true, true, true
	looks, told := s.looks(&c), chart.Readouts{}
	for _, r := range s.runs {
		texts, at := s.textsOf(r), [2]float64{}
		for i, axis := range []*chart.Axis{&p.X, &p.Y} {
			at[i], _ = strconv.ParseFloat(texts[i], 64) // which was checked
			axis.Include(at[i])
			axis.Whole = axis.Whole && at[i] == math.Trunc(at[i]) && axis.High-axis.Low <= 12 // ticks of more are whole
		}
		k := looks[strings.Join(texts[2:], "")]
		p.Marks = append(p.Marks, chart.Dots{Points: []chart.Point{{X: at[0], Y: at[1]}}, Ink: k.Ink, Glyph: k.Glyph})
		told.Add(at[0], at[1], r.Label()+": "+strings.Join(texts, ", "))
	}
	p.Marks = append(p.Marks, told)
	c.Panels = []chart.Panel{p}
	if s.missing > 0 {
		c.Notes = []string{fmt.Sprintf("Not drawn: %s without %s.", textfmt.CountOf(s.missing, "run"),
			textfmt.Alternatives(s.keys))}
	}
	return c
}

// looks returns the looks of marks by the texts of their colours, and explains these in a chart.
func (s scatter) looks(c *chart.Chart) map[string]chart.Key {
	if len(s.keys) < 3 {
		return map[string]chart.Key{"": keyOf(group.Look{}, "")}
	}
	color, looks, numbers := s.keys[2], map[string]chart.Key{}, []float64(nil)
	values := report.TallyField(s.runs, color).Values
	for n, v := range values {
		k := keyOf(group.Look{Number: n}, color+" "+v.Value)
		of := s.runs[slices.IndexFunc(s.runs, func(r report.Run) bool { return s.textsOf(r)[2] == v.Value })]
		if label := report.PlaceLabel(of, color); label != "" { // as in every figure of the study
			k = keyOf(group.Look{Number: report.PlaceIndex(of, color)}, label)
		}
		if x, err := strconv.ParseFloat(v.Value, 64); err == nil {
			numbers = append(numbers, x)
		}
		k.Bare, looks[v.Value] = true, k
		c.Keys = append(c.Keys, k)
	}
	if len(numbers) == len(values) {
		for n, k := range shade(c, chart.Key{Text: measureLabel(color), Glyph: chart.Disc, Bare: true}, numbers) {
			looks[values[n].Value] = k
		}
	}
	return looks
}
