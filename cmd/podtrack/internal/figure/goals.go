package figure

import (
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// goalMeasures are the measures that [Goals] can show.
var goalMeasures = []string{"early", "late", "area"}

// Goals shows for which goals the options help: by goal the ratio of a measure with them and
// with another arm, on a grid as a map.
type Goals struct {
	Title   string                 `json:"title"`
	Measure string                 `json:"measure"` // one of goalMeasures
	Against string                 `json:"against"` // the other arm
	Tasks   []evaluate.SummaryTask `json:"tasks"`
	Plan    *GridLayout            `json:"plan,omitempty"`

	arm, start string
	wins       float64
	name       func(state int) string
}

// NewGoals returns the figure of an evaluation of many tasks.
func NewGoals(s *evaluate.Subject, sum evaluate.Summary, measure, against string) (Goals, error) {
	r := sum.Runs[0]
	f := Goals{
		Title:   fmt.Sprintf("Goals of %s:%d, %s", r.Label, r.K, sum.Spec.Algorithm),
		Measure: measure, Against: against, Tasks: sum.Tasks, Plan: newGridLayout(s.Env),
		arm:  evaluate.ArmText(against),
		name: func(state int) string { return evaluate.FormatState(s.Env, state) },
	}
	if !slices.Contains(goalMeasures, measure) {
		return f, schema.Hint(fmt.Errorf("unknown measure %q of goals", measure), "%s",
			textfmt.DidYouMean(measure, "measures", goalMeasures))
	}
	if against == evaluation.ArmOptions || !slices.Contains(sum.Spec.Against, against) {
		return f, schema.Hint(fmt.Errorf("the evaluation has no baseline %q", against), "%s",
			textfmt.DidYouMean(against, "baselines", sum.Spec.Against))
	}
	for _, a := range sum.Arms {
		if a.Name == against {
			f.wins = map[string]evaluate.Wins{
				"early": a.Against.WinsEarly, "late": a.Against.WinsLate, "area": a.Against.WinsArea,
			}[measure].Share.Value
		}
	}
	f.start = f.startText()
	return f, nil
}

// startText returns where tasks start.
func (g Goals) startText() string {
	first := g.Tasks[0].Start
	for _, t := range g.Tasks {
		if t.Start != first {
			return "from drawn starts"
		}
	}
	if first == evaluation.AnyStart {
		return "from a start drawn for each episode"
	}
	return "from " + g.name(first)
}

// values returns the measure of an arm in a task.
func (g Goals) values(t evaluate.SummaryTask, arm string) float64 {
	a := t.Arm(arm)
	return map[string]float64{"early": a.EarlySteps, "late": a.LateSteps, "area": a.Area}[g.Measure]
}

// ratios returns by goal the ratio of the measure, that of the means where it has several tasks. It
// skips those in which both are 0.
func (g Goals) ratios() map[int]float64 {
	sums := map[int][2]float64{}
	for _, t := range g.Tasks {
		x := sums[t.Goal]
		sums[t.Goal] = [2]float64{x[0] + g.values(t, evaluation.ArmOptions), x[1] + g.values(t, g.Against)}
	}
	ratios := map[int]float64{}
	for goal, x := range sums {
		if x[0] > 0 || x[1] > 0 {
			ratios[goal] = x[0] / x[1]
		}
	}
	return ratios
}

// Table implements [Figure].
func (g Goals) Table() DataTable {
	t := DataTable{Columns: []string{"goal", "start", "goal_name", "shortest"}}
	for _, a := range g.Tasks[0].Arms {
		for _, measure := range []string{"early_steps", "late_steps", "area", "reached"} {
			t.Columns = append(t.Columns, a.Name+"_"+measure)
		}
	}
	for _, task := range g.Tasks {
		shortest := textfmt.FormatExact(&task.Shortest)
		row := []string{fmt.Sprint(task.Goal), fmt.Sprint(task.Start), g.name(task.Goal), shortest}
		for _, a := range task.Arms {
			for _, x := range []float64{a.EarlySteps, a.LateSteps, a.Area, a.Reached} {
				row = append(row, textfmt.FormatExact(&x))
			}
		}
		t.add(row...)
	}
	return t
}

// better returns how much better options are, as a logarithm to base 2: above 0 where they are.
func (g Goals) better(ratio float64) float64 {
	if g.Measure == "area" {
		return math.Log2(ratio)
	}
	return -math.Log2(ratio)
}

func (g Goals) caption() string {
	return fmt.Sprintf("%s: %s, by goal; n = %s.", g.Title, g.label(), textfmt.CountOf(len(g.Tasks), "task"))
}

func (g Goals) chart() chart.Chart {
	ratios, largest := g.ratios(), 1.0
	for _, r := range ratios {
		if x := math.Abs(g.better(r)); !math.IsInf(x, 0) {
			largest = max(largest, math.Ceil(x))
		}
	}
	largest = min(largest, 6)
	worst, best := fmt.Sprintf("%g", math.Exp2(largest)), "1/"+fmt.Sprintf("%g", math.Exp2(largest))
	if g.Measure == "area" {
		worst, best = best, worst
	}
	c := chart.Chart{Title: g.Title, Columns: 1, Notes: g.notes(), Scale: &chart.Scale{
		Label: g.label(), Low: worst, High: best,
		Ink: func(share float64) chart.Ink { return chart.DivergingInk(2*share - 1) },
	}}
	if g.Plan == nil {
		c.Panels = []chart.Panel{g.bars(ratios, largest)}
		return c
	}
	c.Panels = []chart.Panel{g.Plan.panel(func(s int) chart.Ink {
		r, ok := ratios[s]
		if !ok {
			return chart.WithOpacity(chart.Neutral, 0.2) // no goal
		}
		return chart.DivergingInk(g.better(r) / largest)
	})}
	c.Panels[0].Marks = append(c.Panels[0].Marks, g.Plan.told(func(s int) string {
		if r, ok := ratios[s]; ok {
			return g.name(s) + ": " + palette.Short(r)
		}
		return g.name(s) + " is no goal"
	}))
	return c
}

// label returns what the ratio is.
func (g Goals) label() string {
	what := map[string]string{"early": "early steps", "late": "late steps", "area": "area"}[g.Measure]
	return what + ", options ÷ " + g.arm
}

func (g Goals) notes() []string {
	return []string{fmt.Sprintf("Each goal is coloured by the ratio, %s: blue where options do better, vermilion where "+
		"they do worse, on a scale of powers of two. Better for %.0f %% of %s.", g.start, 100*g.wins,
		textfmt.CountOf(len(g.Tasks), "task"))}
}

// bars returns a panel with a bar for each goal, where there is no map: up where options are better.
func (g Goals) bars(ratios map[int]float64, largest float64) chart.Panel {
	goals := []int{}
	for goal := range ratios {
		goals = append(goals, goal)
	}
	slices.Sort(goals)
	p := chart.Panel{
		X: chart.Axis{Label: "goal", Low: -0.5, High: 0.5, Whole: true, Plain: true}, Aspect: 0.35,
		Y: chart.Axis{Label: "log₂, up is better", Low: -largest, High: largest},
	}
	var t chart.Readouts
	for _, goal := range goals {
		x := float64(goal)
		p.X.High = max(p.X.High, x+0.5)
		y := max(-largest, min(g.better(ratios[goal]), largest))
		p.Marks = append(p.Marks, chart.Box(x-0.5, x+0.5, 0, y, chart.DivergingInk(math.Copysign(1, y))))
		t.Add(x, y, g.name(goal)+": "+palette.Short(ratios[goal]))
	}
	p.Marks = append(p.Marks, chart.Rule{At: 0, Across: true, Ink: chart.Foreground}, t)
	return p
}
