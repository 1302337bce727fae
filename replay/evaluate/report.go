package evaluate

import (
	"math"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
)

// Report is an evaluation as it is shown.
type Report struct {
	Run      schema.Digest         `json:"run"`
	K        int                   `json:"k"`
	Link     schema.Digest         `json:"link"`
	Digest   schema.Digest         `json:"evaluation"`
	Recorded bool                  `json:"recorded"` // before, so that nothing was computed
	Spec     schema.EvaluationSpec `json:"task"`
	Options  []string              `json:"options"` // K/J+ or K/J-
	Window   int                   `json:"window"`  // episodes that are early, or late
	Arms     []ArmReport           `json:"arms"`
	Bound    *Bound                `json:"bound,omitempty"` // of the shortest path; nil in evaluations of the first form

	// Empirical is the model in which agents learned, nil for the environment's own.
	Empirical *Empirical `json:"empirical,omitempty"`

	numbers []int // of the options
}

// Bound is what no agent can beat: the steps of the shortest path and their return, means over
// the starts, and over the tasks if there are many.
type Bound struct {
	Steps  float64 `json:"steps"`
	Return float64 `json:"return"`
}

// ArmReport sums an arm up: means over seeds with their 95 % intervals of Student's t.
type ArmReport struct {
	schema.Arm
	Option string `json:"option,omitempty"` // that is left out
	Number *int   `json:"number,omitempty"` // of that option

	EarlySteps  *stats.Estimate `json:"early_steps"` // to the goal; those of the limit where it was not reached
	LateSteps   *stats.Estimate `json:"late_steps"`
	EarlyReturn *stats.Estimate `json:"early_return"` // discounted
	LateReturn  *stats.Estimate `json:"late_return"`
	Area        *stats.Estimate `json:"area"`    // under the curve of returns: their mean over all episodes
	Reached     *stats.Estimate `json:"reached"` // share of episodes

	// Difference is the area of the options less the arm's, seed by seed, nil for the
	// options themselves.
	Difference *stats.Estimate `json:"difference"`

	Steps [][]uint32 `json:"steps"` // by seed and episode, 0 where the goal was not reached

	areas []float64
}

// NewReport summarises an evaluation.
func NewReport(s *Subject, e schema.Evaluation, recorded bool) (Report, error) {
	digest, err := schema.EvaluationDigest(e.Link, e.Spec)
	r := Report{
		Run: s.Run.ID, K: s.K, Link: e.Link, Digest: digest, Recorded: recorded, Spec: e.Spec, Options: s.Names,
		Window: e.Spec.LateEpisodes(), numbers: s.Numbers,
		Empirical: s.Empirical(),
	}
	if e.Spec.IsLater() {
		task, err := s.newTask(e.Spec, e.Spec.AllTasks()[0])
		if err != nil {
			return r, err
		}
		env, _ := pod.As[pod.ModelEnv](s.Env) // the task has its model
		r.Bound = &Bound{}
		r.Bound.Steps, r.Bound.Return = task.Bound(env.Model())
	}
	for i, arm := range e.Spec.Arms(e.Options) {
		r.Arms = append(r.Arms, r.arm(e, i, arm))
	}
	for i := range r.Arms[1:] {
		arm := &r.Arms[i+1]
		pairs := make([]stats.Pair, len(arm.areas))
		for i, a := range arm.areas {
			pairs[i] = stats.Pair{A: a, B: r.Arms[0].areas[i]}
		}
		arm.Difference = stats.ComparePairs(pairs, stats.Level).Difference
	}
	return r, err
}

func (r Report) arm(e schema.Evaluation, i int, arm schema.Arm) ArmReport {
	a := ArmReport{Arm: arm}
	if arm.Without != nil && *arm.Without < len(r.Options) {
		a.Option, a.Number = r.Options[*arm.Without], &r.numbers[*arm.Without]
	}
	for seed := range e.Spec.Seeds {
		a.Steps = append(a.Steps, e.Curve(i, seed))
	}
	overSeeds := func(of func(curve []uint32) float64) (means []float64) {
		for _, curve := range a.Steps {
			means = append(means, of(curve))
		}
		return means
	}
	early := func(curve []uint32) []uint32 { return curve[:r.Window] }
	late := func(curve []uint32) []uint32 { return curve[len(curve)-r.Window:] }
	a.areas = overSeeds(func(c []uint32) float64 { return mean(c, r.discounted) })
	a.Area = meanReturn(a.areas)
	a.EarlySteps = r.meanSteps(overSeeds(func(c []uint32) float64 { return mean(early(c), r.taken) }))
	a.LateSteps = r.meanSteps(overSeeds(func(c []uint32) float64 { return mean(late(c), r.taken) }))
	a.EarlyReturn = meanReturn(overSeeds(func(c []uint32) float64 { return mean(early(c), r.discounted) }))
	a.LateReturn = meanReturn(overSeeds(func(c []uint32) float64 { return mean(late(c), r.discounted) }))
	a.Reached = stats.Mean(overSeeds(func(c []uint32) float64 { return mean(c, reached) })).Within(0, 1)
	return a
}

// meanReturn returns the mean of discounted returns, which are between 0 and 1.
func meanReturn(values []float64) *stats.Estimate { return stats.Mean(values).Within(0, 1) }

// meanSteps returns the mean of steps to the goal, which are between 0 and the limit.
func (r Report) meanSteps(values []float64) *stats.Estimate {
	return stats.Mean(values).Within(0, float64(r.Spec.Limit))
}

// mean returns the mean of the given function over episodes.
func mean(curve []uint32, worth func(steps uint32) float64) float64 {
	sum := 0.0
	for _, n := range curve {
		sum += worth(n)
	}
	return sum / float64(len(curve))
}

// taken returns the steps of an episode, all of the limit if it did not reach the goal.
func (r Report) taken(steps uint32) float64 {
	if steps == 0 {
		return float64(r.Spec.Limit)
	}
	return float64(steps)
}

// discounted returns the discounted return of an episode.
func (r Report) discounted(steps uint32) float64 {
	if steps == 0 {
		return 0
	}
	return math.Pow(r.Spec.Gamma, float64(steps-1))
}

func reached(steps uint32) float64 {
	if steps == 0 {
		return 0
	}
	return 1
}

// A Curve is an arm's learning curve: at each episode the mean over seeds with its
// interval.
type Curve struct {
	Arm    schema.Arm
	Option string // that is left out
	Return []*stats.Estimate
	Steps  []*stats.Estimate
}

// Curves returns the curves of all arms, smoothed over the given window of episodes.
func (r Report) Curves(window int) []Curve {
	var curves []Curve
	for _, arm := range r.Arms {
		c := Curve{Arm: arm.Arm, Option: arm.Option}
		for i := range r.Spec.Episodes {
			returns, steps := make([]float64, len(arm.Steps)), make([]float64, len(arm.Steps))
			for seed, curve := range arm.Steps {
				some := curve[max(0, i+1-window) : i+1]
				returns[seed], steps[seed] = mean(some, r.discounted), mean(some, r.taken)
			}
			c.Return, c.Steps = append(c.Return, meanReturn(returns)), append(c.Steps, r.meanSteps(steps))
		}
		curves = append(curves, c)
	}
	return curves
}
