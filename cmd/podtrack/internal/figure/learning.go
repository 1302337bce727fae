package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Learning shows how fast agents learn tasks, with options and without: curves over episodes, means over tasks, seeds
// and runs.
type Learning struct {
	Title    string
	Limit    int64 // steps an episode
	Seeds    int
	Episodes []int // the last episode of each point, from 1
	Curves   []evaluate.Curve
	Verdict  string // of the evaluation, "" if it has none
}

// NewLearning returns the figure of an evaluation.
func NewLearning(s evaluate.Summary, in *evaluate.Subject) Learning {
	of := fmt.Sprintf("%s:%d", s.Runs[0].Label, s.Runs[0].K)
	if len(s.Runs) > 1 {
		of = textfmt.CountOf(len(s.Runs), "run")
	}
	what := textfmt.CountOf(len(s.Tasks), "goal")
	if len(s.Tasks) == 1 {
		what = "goal " + envs.FormatState(in.Env, s.Tasks[0].Goal)
	}
	return Learning{
		Title: fmt.Sprintf("Options of %s put to use, %s", of, what), Limit: s.Spec.Limit, Seeds: len(s.Spec.Seeds),
		Episodes: s.CurveEpisodes(), Curves: s.Curves, Verdict: s.Verdict(),
	}
}

// Table implements [Figure].
func (l Learning) Table() DataTable {
	t := DataTable{Columns: []string{"arm", "episode", "steps", "steps_low", "steps_high", "return", "return_low",
		"return_high"}}
	for _, c := range l.Curves {
		for i, episode := range l.Episodes {
			steps, of := c.Steps[i], c.Return[i]
			t.add(c.Arm, episode, steps.Value, steps.Low, steps.High, of.Value, of.Low, of.High)
		}
	}
	return t
}

// armText returns what an arm has, for the legend.
func (l Learning) armText(name string) string {
	switch name {
	case task.ArmOptions:
		return "actions and options"
	case task.AgainstPrimitives:
		return "actions alone"
	}
	return "actions and " + evaluate.ArmText(name)
}

func (l Learning) caption() string {
	return fmt.Sprintf("%s: discounted return and steps to the goal, by episode; n = %s.", l.Title,
		textfmt.CountOf(l.Seeds, "seed"))
}

func (l Learning) chart() chart.Chart {
	c := chart.Chart{Title: l.Title, Columns: 1, Shared: true}
	for i, curve := range l.Curves {
		c.Keys = append(c.Keys, chart.Key{
			Text: l.armText(curve.Arm), Ink: chart.SeriesInk(i), Dash: chart.Dash(i), Glyph: chart.Glyphs[i%len(chart.Glyphs)],
		})
	}
	c.Panels = []chart.Panel{
		l.panel("discounted return", c.Keys, func(c evaluate.Curve) []*stats.Estimate { return c.Return }),
		l.panel("steps to the goal", c.Keys, func(c evaluate.Curve) []*stats.Estimate { return c.Steps }),
	}
	if l.Verdict != "" {
		c.Notes = []string{l.Verdict}
	}
	c.Notes = append(c.Notes, fmt.Sprintf("Points are means over %s and over %s; bands are 95 %% intervals. An episode "+
		"that does not get to the goal counts as %d steps.", textfmt.CountOf(l.Seeds, "seed"),
		textfmt.CountOf(l.Episodes[0], "episode"), l.Limit))
	return c
}

func (l Learning) panel(label string, keys []chart.Key, of func(evaluate.Curve) []*stats.Estimate) chart.Panel {
	p := chart.Panel{
		X: chart.Axis{Label: "episode", High: float64(l.Episodes[len(l.Episodes)-1]), Whole: true, Plain: true},
		Y: chart.Axis{Label: label}, Aspect: 0.38,
	}
	all := make([]series, len(keys))
	for i, curve := range l.Curves {
		s := series{Key: keys[i]}
		for at, e := range of(curve) {
			episode := l.Episodes[at]
			s.add(float64(episode), fmt.Sprintf("episode %d", episode), &e.Value, e.Low, e.High)
		}
		s.dots.Points = marked(s.mean, i, len(all))
		all[i] = s
	}
	drawSeries(&p, 0.2, all)
	return p
}
