package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Learning shows how fast agents learn a task, with options and without: curves over episodes,
// means over seeds.
type Learning struct {
	Title  string           `json:"title"`
	Limit  int64            `json:"limit"` // steps an episode
	Seeds  int              `json:"seeds"`
	Window int              `json:"window"` // episodes that a point is the mean of
	Curves []evaluate.Curve `json:"curves"`

	spec evaluation.Spec
}

// NewLearning returns the figure of an evaluation.
func NewLearning(label string, s *evaluate.Subject, r evaluate.Report) Learning {
	what := "rewards"
	if !r.Spec.Reward {
		what = "goal " + evaluate.FormatState(s.Env, r.Spec.Goal)
	}
	f := Learning{
		Title: fmt.Sprintf("Options of %s:%d put to use, %s", label, r.K, what),
		Limit: r.Spec.Limit, Seeds: len(r.Spec.Seeds), Window: max(1, r.Spec.Episodes/20), spec: r.Spec,
	}
	f.Curves = r.Curves(f.Window)
	return f
}

// Table implements [Figure].
func (l Learning) Table() DataTable {
	t := DataTable{Columns: []string{"arm", "episode", "steps", "steps_low", "steps_high", "return", "return_low",
		"return_high"}}
	for _, c := range l.Curves {
		for i := range c.Steps {
			row := []string{c.Arm, fmt.Sprint(i)}
			for _, e := range []*stats.Estimate{c.Steps[i], c.Return[i]} {
				row = append(row, textfmt.FormatExact(&e.Value), textfmt.FormatExact(e.Low), textfmt.FormatExact(e.High))
			}
			t.add(row...)
		}
	}
	return t
}

// armText returns what an arm has, for the legend.
func (l Learning) armText(name string) string {
	switch name {
	case evaluation.ArmOptions:
		return "actions and options"
	case evaluation.AgainstPrimitives:
		return "actions alone"
	}
	return "actions and " + evaluate.ArmText(name)
}

func (l Learning) caption() string {
	return fmt.Sprintf("%s: %s and %s, by episode; n = %s.", l.Title, l.stepsText(), l.returnText(),
		textfmt.CountOf(l.Seeds, "seed"))
}

func (l Learning) chart() chart.Chart {
	c := chart.Chart{Title: l.Title, Columns: 1, Shared: true}
	for i, curve := range l.Curves {
		c.Keys = append(c.Keys, chart.Key{
			Text: l.armText(curve.Arm), Ink: chart.SeriesInk(i), Dash: chart.Dash(i), Glyph: chart.Glyphs[i%len(chart.Glyphs)],
		})
	}
	steps, returns := l.panel(l.stepsText(), func(c evaluate.Curve) []*stats.Estimate { return c.Steps }),
		l.panel(l.returnText(), func(c evaluate.Curve) []*stats.Estimate { return c.Return })
	c.Panels = []chart.Panel{steps, returns}
	if l.spec.Reward {
		c.Panels = []chart.Panel{returns, steps}
	}
	c.Notes = []string{fmt.Sprintf("Means over %s and over the last %s; bands are 95 %% intervals "+
		"(Student's t). %s", textfmt.CountOf(l.Seeds, "seed"), textfmt.CountOf(l.Window, "episode"), l.limitText())}
	if l.Seeds == 1 {
		c.Notes = []string{
			fmt.Sprintf("One seed, so no interval; means over the last %s.", textfmt.CountOf(l.Window, "episode")),
		}
	}
	return c
}

// stepsText returns what the steps are.
func (l Learning) stepsText() string {
	if l.spec.Reward {
		return "steps of an episode"
	}
	return "steps to the goal"
}

// returnText returns what the returns are.
func (l Learning) returnText() string {
	if l.spec.Reward {
		return "return of an episode"
	}
	return "discounted return"
}

// limitText returns what the limit means.
func (l Learning) limitText() string {
	if l.spec.Reward {
		return fmt.Sprintf("Returns are sums of rewards, not discounted: higher is better. An episode is truncated after %d "+
			"steps.", l.Limit)
	}
	return fmt.Sprintf("An episode that does not get to the goal counts as %d steps.", l.Limit)
}

func (l Learning) panel(label string, of func(evaluate.Curve) []*stats.Estimate) chart.Panel {
	p := chart.Panel{
		X: chart.Axis{Label: "episode", High: float64(len(l.Curves[0].Steps)), Whole: true, Plain: true},
		Y: chart.Axis{Label: label}, Aspect: 0.38,
	}
	var lines []chart.Mark
	for i, curve := range l.Curves {
		band, points, t := chart.Area{Ink: chart.WithOpacity(chart.SeriesInk(i), 0.2)}, []chart.Point{}, chart.Readouts{}
		for episode, e := range of(curve) {
			x := float64(episode + 1)
			points = append(points, chart.Point{X: x, Y: e.Value})
			t.Add(x, e.Value, fmt.Sprintf("%s, episode %d: %s", l.armText(curve.Arm), episode+1,
				palette.Within(e.Value, e.Low, e.High)))
			p.Y.Include(e.Value)
			if e.Low != nil && e.High != nil {
				band.Low = append(band.Low, chart.Point{X: x, Y: *e.Low})
				band.High = append(band.High, chart.Point{X: x, Y: *e.High})
				p.Y.Include(*e.High)
				if l.spec.Reward {
					p.Y.Include(*e.Low)
				}
			}
		}
		if len(band.Low) > 1 {
			p.Marks = append(p.Marks, band)
		}
		lines = append(lines, t, chart.Line{Points: points, Ink: chart.SeriesInk(i), Dash: chart.Dash(i)}, chart.Dots{
			Points: chart.Thin(points), Ink: chart.SeriesInk(i), Glyph: chart.Glyphs[i%len(chart.Glyphs)],
		})
	}
	p.Marks = append(p.Marks, lines...)
	return p
}
