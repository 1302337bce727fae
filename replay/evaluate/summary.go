package evaluate

import (
	"fmt"
	"math"
	"strings"

	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// Summary summarises evaluations over many tasks, of the options of one run or of several, all by the same spec. A
// number is a mean over tasks, seeds and runs. Its interval covers the variation over the seeds of learning and, with
// several runs, over the runs, which share these seeds: see [stats.Crossed]. It does not cover that of tasks, which are
// fixed.
type Summary struct {
	Spec   task.Spec     `json:"task"`
	Window int           `json:"window"` // episodes that are early, or late
	Bound  Bound         `json:"bound"`
	Arms   []SummaryArm  `json:"arms"`  // without arms that leave an option out
	Tasks  []SummaryTask `json:"tasks"` // in the spec's order

	// Empirical is the model in which agents learned, nil for the environment's own.
	Empirical *Empirical `json:"empirical,omitempty"`

	Runs   []EvaluatedRun `json:"-"`
	Curves []Curve        `json:"-"` // by arm
}

// Bound is the best possible result: the steps of the shortest path and their return, as means over the starts and over
// the tasks.
type Bound struct {
	Steps  float64 `json:"steps"`
	Return float64 `json:"return"`
}

// EvaluatedRun is a run whose options were evaluated.
type EvaluatedRun struct {
	Run     schema.Digest `json:"run"`
	Label   string        `json:"label"`
	K       int           `json:"k"`
	Link    schema.Digest `json:"link"`
	Options int           `json:"options"`
}

// Document is the output of podtrack evaluate --json. Parts that were not requested are nil.
type Document struct {
	Runs      []EvaluatedRun `json:"runs"`
	Summary   *Summary       `json:"evaluation,omitempty"`
	Diffusion []Diffusion    `json:"diffusion,omitempty"`
}

// SummaryArm sums an arm up over all tasks.
type SummaryArm struct {
	Name       string          `json:"name"`
	EarlySteps *stats.Estimate `json:"early_steps"` // those of the limit where the goal was not reached
	LateSteps  *stats.Estimate `json:"late_steps"`
	Area       *stats.Estimate `json:"area"`
	Reached    *stats.Estimate `json:"reached"` // share of episodes

	Against *Comparison `json:"against"` // the options less this arm; nil for the options

	Steps [][]uint32 `json:"steps,omitempty"` // of one task and run: by seed and episode, 0 if the goal was missed
}

// A Curve is an arm's learning curve: means over tasks, seeds and runs, by window of episodes.
type Curve struct {
	Arm    string
	Steps  []*stats.Estimate // the limit for episodes that missed the goal
	Return []*stats.Estimate // discounted
}

const maxPoints = 50 // of a curve

// CurveEpisodes returns the last episode of each point of a curve, counted from 1. A point is the mean of all episodes
// since the one before.
func (s Summary) CurveEpisodes() (last []int) {
	window := (s.Spec.Episodes + maxPoints - 1) / maxPoints
	for end := window; end < s.Spec.Episodes+window; end += window {
		last = append(last, min(end, s.Spec.Episodes))
	}
	return last
}

// Comparison compares the options with another arm.
type Comparison struct {
	EarlySteps *stats.Estimate `json:"early_steps"` // differences: negative where options are faster
	LateSteps  *stats.Estimate `json:"late_steps"`
	Area       *stats.Estimate `json:"area"` // positive where options are better

	WinsEarly Wins `json:"wins_early"` // fewer steps
	WinsLate  Wins `json:"wins_late"`
	WinsArea  Wins `json:"wins_area"` // a larger area
}

// Wins says for how many tasks the options do better than another arm.
type Wins struct {
	Share  *stats.Estimate `json:"share"`          // of tasks, by means over seeds, ties half; interval over runs
	Better int             `json:"clearly_better"` // tasks with a settled difference, adjusted for the number of tasks
	Worse  int             `json:"clearly_worse"`
}

// SummaryTask has the measures of one task, as means over seeds and runs.
type SummaryTask struct {
	Goal     int       `json:"goal"`
	Start    int       `json:"start"`
	Shortest float64   `json:"shortest"` // steps of the shortest path, the mean over the starts
	Arms     []TaskArm `json:"arms"`
}

// TaskArm has an arm's means of one task.
type TaskArm struct {
	Name       string  `json:"name"`
	EarlySteps float64 `json:"early_steps"`
	LateSteps  float64 `json:"late_steps"`
	Area       float64 `json:"area"`
	Reached    float64 `json:"reached"`
}

// The measures of a curve, in the order of their arrays.
const (
	earlySteps = iota
	lateSteps
	areaUnder
	reachedShare
	measures
)

// isBetterLess reports whether less of a measure is better.
func isBetterLess(measure int) bool { return measure == earlySteps || measure == lateSteps }

// An Aggregator adds up evaluations of runs, one after another. Its size depends on the numbers of tasks and seeds, and
// hardly on that of runs.
type Aggregator struct {
	summary Summary
	arms    []armSums
}

// armSums has what is added up of an arm.
type armSums struct {
	name     string
	compared            // means over tasks
	tasks    []compared // by task
	shares   [measures][]float64
	curve    []point    // by window of episodes
	steps    [][]uint32 // of the first run if it has one task: by seed
}

// compared has an arm's measures, and those of the options less the arm's, by run and seed.
type compared struct{ own, beside [measures]stats.Crossed }

// A point of a curve has means over tasks, by run and seed.
type point struct{ steps, returns stats.Crossed }

// Add adds an evaluation of a run's options. All are by the same spec, of runs in the same environment.
func (a *Aggregator) Add(s *Subject, e Result, label string) error {
	if len(a.summary.Runs) == 0 {
		if err := a.begin(s, e); err != nil {
			return err
		}
	}
	a.summary.Runs = append(a.summary.Runs, s.Describe(label))
	a.addCurves(e)
	return nil
}

// begin sets the fields that all evaluations share.
func (a *Aggregator) begin(s *Subject, e Result) error {
	a.summary.Spec, a.summary.Window = e.Spec, e.Spec.LateEpisodes()
	a.summary.Empirical = s.empirical
	for _, t := range e.Spec.AllTasks() {
		task, err := s.newTask(e.Spec, t)
		if err != nil {
			return err
		}
		steps, value := task.Bound()
		a.summary.Tasks = append(a.summary.Tasks, SummaryTask{Goal: t.Goal, Start: t.Start, Shortest: steps})
		a.summary.Bound.Steps += steps
		a.summary.Bound.Return += value
	}
	n := len(a.summary.Tasks)
	a.summary.Bound.Steps /= float64(n)
	a.summary.Bound.Return /= float64(n)
	for _, name := range e.Spec.Arms() {
		a.arms = append(a.arms, armSums{name: name, tasks: make([]compared, n),
			curve: make([]point, len(a.summary.CurveEpisodes()))})
	}
	return nil
}

// addCurves adds the measures of all curves of a run.
func (a *Aggregator) addCurves(e Result) {
	seeds, tasks := len(e.Spec.Seeds), len(a.summary.Tasks)
	total := make([][measures][]float64, len(a.arms)) // by arm and seed, over tasks
	wins := make([][measures]float64, len(a.arms))
	for arm := range total {
		for i := range total[arm] {
			total[arm][i] = make([]float64, seeds)
		}
	}
	for task := range tasks {
		one := e.Task(task)
		options := measure(one, 0)
		for arm := range a.arms {
			rows := measure(one, arm)
			won := a.arms[arm].tasks[task].add(options, rows)
			for i, row := range rows {
				for seed, x := range row {
					total[arm][i][seed] += x / float64(tasks)
				}
				wins[arm][i] += won[i] / float64(tasks)
			}
		}
	}
	for arm := range a.arms {
		sums := &a.arms[arm]
		sums.add(total[0], total[arm])
		for i, share := range wins[arm] {
			sums.shares[i] = append(sums.shares[i], share)
		}
		sums.addPoints(e, arm, a.summary.CurveEpisodes())
		for seed := range seeds {
			if tasks == 1 && len(a.summary.Runs) == 1 {
				sums.steps = append(sums.steps, e.Curve(arm, seed))
			}
		}
	}
}

// addPoints adds the learning curves of an arm.
func (a *armSums) addPoints(e Result, arm int, episodes []int) {
	tasks, first := len(a.tasks), 0
	for i, last := range episodes {
		steps, returns := make([]float64, len(e.Spec.Seeds)), make([]float64, len(e.Spec.Seeds))
		for task := range tasks {
			for seed := range e.Spec.Seeds {
				curve := e.Task(task).Curve(arm, seed)[first:last]
				steps[seed] += mean(curve, e.taken) / float64(tasks)
				returns[seed] += mean(curve, e.discounted) / float64(tasks)
			}
		}
		a.curve[i].steps.Add(steps)
		a.curve[i].returns.Add(returns)
		first = last
	}
}

// mean returns the mean of the given function over episodes.
func mean(curve []uint32, worth func(uint32) float64) float64 {
	sum := 0.0
	for _, n := range curve {
		sum += worth(n)
	}
	return sum / float64(len(curve))
}

// taken returns the steps of an episode, the limit if it did not reach the goal.
func (r Result) taken(steps uint32) float64 {
	if steps == 0 {
		return float64(r.Spec.Limit)
	}
	return float64(steps)
}

// discounted returns the discounted return of an episode.
func (r Result) discounted(steps uint32) float64 {
	if steps == 0 {
		return 0
	}
	return math.Pow(r.Spec.Gamma, float64(steps-1))
}

func reached(steps uint32) float64 { return float64(min(steps, 1)) }

// add adds the values of an arm and, less these, those of the options. It returns by measure 1 if the mean of the
// options is better, ½ if it is the same, 0 if it is worse.
func (c *compared) add(options, arm [measures][]float64) (won [measures]float64) {
	for i, row := range arm {
		difference, sum := make([]float64, len(row)), 0.0
		for seed, x := range options[i] {
			difference[seed] = x - row[seed]
			sum += difference[seed]
		}
		c.own[i].Add(row)
		c.beside[i].Add(difference)
		switch {
		case sum == 0:
			won[i] = 0.5
		case sum < 0 == isBetterLess(i):
			won[i] = 1
		}
	}
	return won
}

// measure returns the measures of an arm's curves in an evaluation of one task, by seed.
func measure(e Result, arm int) (rows [measures][]float64) {
	window := e.Spec.LateEpisodes()
	for seed := range e.Spec.Seeds {
		curve := e.Curve(arm, seed)
		for i, x := range [measures]float64{
			earlySteps: mean(curve[:window], e.taken), lateSteps: mean(curve[len(curve)-window:], e.taken),
			areaUnder: mean(curve, e.discounted), reachedShare: mean(curve, reached),
		} {
			rows[i] = append(rows[i], x)
		}
	}
	return rows
}

// Summary returns the summary of the added evaluations.
func (a *Aggregator) Summary() Summary {
	s := a.summary
	limit := float64(s.Spec.Limit)
	most := [measures]float64{earlySteps: limit, lateSteps: limit, areaUnder: 1, reachedShare: 1}
	for i, sums := range a.arms {
		of := func(measure int) *stats.Estimate { return sums.own[measure].Estimate().Within(0, most[measure]) }
		arm := SummaryArm{Name: sums.name, EarlySteps: of(earlySteps), LateSteps: of(lateSteps), Area: of(areaUnder),
			Reached: of(reachedShare)}
		if i > 0 {
			less := func(measure int) *stats.Estimate {
				return sums.beside[measure].Estimate().Within(-most[measure], most[measure])
			}
			arm.Against = &Comparison{EarlySteps: less(earlySteps), LateSteps: less(lateSteps), Area: less(areaUnder),
				WinsEarly: sums.wins(earlySteps), WinsLate: sums.wins(lateSteps), WinsArea: sums.wins(areaUnder),
			}
		}
		if len(s.Runs) == 1 && len(s.Tasks) == 1 {
			arm.Steps = sums.steps
		}
		s.Arms = append(s.Arms, arm)
		c := Curve{Arm: sums.name}
		for _, p := range sums.curve {
			c.Steps = append(c.Steps, p.steps.Estimate().Within(0, limit))
			c.Return = append(c.Return, p.returns.Estimate().Within(0, 1))
		}
		s.Curves = append(s.Curves, c)
		for task := range sums.tasks {
			of := func(measure int) float64 { return sums.tasks[task].own[measure].Estimate().Value }
			s.Tasks[task].Arms = append(s.Tasks[task].Arms, TaskArm{
				Name: sums.name, EarlySteps: of(earlySteps), LateSteps: of(lateSteps), Area: of(areaUnder),
				Reached: of(reachedShare),
			})
		}
	}
	return s
}

// wins returns for how many tasks the options do better than an arm.
func (a *armSums) wins(measure int) Wins {
	w := Wins{Share: stats.Mean(a.shares[measure]).Within(0, 1)}
	better, worse := stats.More, stats.Less
	if isBetterLess(measure) {
		better, worse = worse, better
	}
	var p []*float64
	for i := range a.tasks {
		p = append(p, a.tasks[i].beside[measure].Deviation().PValue())
	}
	for task, adjusted := range stats.HolmOf(p) {
		difference := a.tasks[task].beside[measure].Deviation().At(stats.Bonferroni(stats.Level, len(p)))
		switch stats.Settle(adjusted, difference) {
		case better:
			w.Better++
		case worse:
			w.Worse++
		}
	}
	return w
}

// Verdict returns a sentence on how the options do beside the other arms by the area, the measure of all episodes, with
// which text and figure lead; "" without another arm.
func (s Summary) Verdict() string {
	var parts []string
	for _, arm := range s.Arms[1:] {
		e, wins := arm.Against.Area, arm.Against.WinsArea
		part := strings.TrimSpace(fmt.Sprintf("from %s by %s %s", ArmText(arm.Name), textfmt.FormatNumber(e.Value, 4),
			textfmt.FormatInterval(e.Low, e.High, 4)))
		if n := len(s.Tasks); n > 1 {
			part += fmt.Sprintf(", better for %s of %d tasks (clearly for %d, clearly worse for %d)", Percent(wins.Share.Value),
				n, wins.Better, wins.Worse)
		}
		parts = append(parts, part)
	}
	if len(parts) == 0 {
		return ""
	}
	return "By area, the mean return of all episodes, options differ " + strings.Join(parts, "; ") + "."
}

// Percent formats a share.
func Percent(share float64) string { return fmt.Sprintf("%.0f %%", 100*share) }

// ArmText describes the action set of an arm.
func ArmText(name string) string {
	switch name {
	case task.AgainstPrimitives:
		return "primitive actions"
	case task.AgainstRandom:
		return "random options"
	case task.AgainstHallways:
		return "hallway options"
	}
	return name
}
