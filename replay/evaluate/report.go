package evaluate

import (
	"context"
	"math"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
)

// Report is an evaluation for tables and JSON.
type Report struct {
	Run      schema.Digest   `json:"run"`
	K        int             `json:"k"`
	Link     schema.Digest   `json:"link"`
	Digest   schema.Digest   `json:"evaluation"`
	Recorded bool            `json:"recorded"` // already, so nothing was computed
	Spec     evaluation.Spec `json:"task"`
	Options  []string        `json:"options"` // K/J+ or K/J-
	Window   int             `json:"window"`  // number of episodes that count as early, or as late
	Arms     []ArmReport     `json:"arms"`
	Bound    *Bound          `json:"bound,omitempty"` // of the shortest path; nil where rewards are the task

	// Empirical is the model in which agents learned, nil for the environment's own.
	Empirical *Empirical `json:"empirical,omitempty"`

	// Rewards describes a task of recorded rewards, which has no Bound.
	Rewards *Rewards `json:"rewards,omitempty"`
}

// Bound is the best possible result: the steps of the shortest path and their return, as means over the starts, and
// over the tasks if there are many.
type Bound struct {
	Steps  float64 `json:"steps"`
	Return float64 `json:"return"`
}

// ArmReport summarises an arm: means over seeds with their 95 % intervals of Student's t. In a task of recorded
// rewards, steps are those of an episode, and returns are undiscounted sums of rewards.
type ArmReport struct {
	Name string `json:"name"` // one of [evaluation.Spec.Arms]

	EarlySteps  *stats.Estimate `json:"early_steps"` // to the goal; the limit if it was not reached
	LateSteps   *stats.Estimate `json:"late_steps"`
	EarlyReturn *stats.Estimate `json:"early_return"` // discounted, of a goal
	LateReturn  *stats.Estimate `json:"late_return"`
	Area        *stats.Estimate `json:"area"`    // under the curve of returns: their mean over all episodes
	Reached     *stats.Estimate `json:"reached"` // share of episodes that reached the goal, or with rewards terminated

	// Difference is the area of the options less the arm's, seed by seed, nil for the
	// options themselves.
	Difference *stats.Estimate `json:"difference"`

	Steps [][]uint32 `json:"steps"` // by seed and episode, 0 if the goal was missed or the episode truncated

	// Returns holds the return of each episode, and Against compares the options with the arm, nil for the options
	// themselves. Both are set only for tasks of recorded rewards.
	Returns [][]float64       `json:"returns,omitempty"`
	Against *ReturnComparison `json:"against,omitempty"`

	early, late, areas []float64 // returns by seed
}

// NewReport summarises an evaluation.
func NewReport(ctx context.Context, s *Subject, e evaluation.Record, recorded bool) (Report, error) {
	digest, err := evaluation.Digest(e.Link, e.Spec)
	r := Report{
		Run: s.Run.ID, K: s.K, Link: e.Link, Digest: digest, Recorded: recorded, Spec: e.Spec, Options: s.Names,
		Window: e.Spec.LateEpisodes(),
	}
	if e.Spec.Model == evaluation.EmpiricalModel {
		r.Empirical = s.empirical()
	}
	if err == nil {
		err = r.addBound(ctx, s)
	}
	if err != nil {
		return r, err
	}
	for i, name := range e.Spec.Arms() {
		r.Arms = append(r.Arms, r.arm(e, i, name))
	}
	for i := range r.Arms[1:] {
		arm := &r.Arms[i+1]
		arm.Difference, _ = comparePaired(r.Arms[0].areas, arm.areas)
		if r.Spec.Reward {
			arm.Against = compareReturns(r.Arms[0], *arm)
		}
	}
	return r, nil
}

// addBound adds the Bound.
func (r *Report) addBound(ctx context.Context, s *Subject) (err error) {
	if r.Spec.Reward {
		r.Rewards, err = s.describeRewards(ctx, r.Spec)
		return err
	}
	task, err := s.newTask(ctx, r.Spec, r.Spec.AllTasks()[0])
	if err != nil {
		return err
	}
	env, _ := envs.As[envs.ModelEnv](s.Env) // no check: the task needed its model
	r.Bound = &Bound{}
	r.Bound.Steps, r.Bound.Return = task.Bound(env.Model())
	return nil
}

func (r Report) arm(e evaluation.Record, i int, name string) ArmReport {
	a := ArmReport{Name: name}
	for seed := range e.Spec.Seeds {
		a.Steps = append(a.Steps, e.Curve(i, seed))
		if e.Returns != nil {
			a.Returns = append(a.Returns, e.CurveOfReturns(i, seed))
		}
	}
	n := r.Spec.Episodes
	a.early, a.late, a.areas = r.returns(a, 0, r.Window), r.returns(a, n-r.Window, n), r.returns(a, 0, n)
	a.EarlyReturn, a.LateReturn, a.Area = r.meanReturn(a.early), r.meanReturn(a.late), r.meanReturn(a.areas)
	a.EarlySteps, a.LateSteps = r.meanSteps(r.steps(a, 0, r.Window)), r.meanSteps(r.steps(a, n-r.Window, n))
	a.Reached = stats.Mean(a.overSeeds(func(seed int) float64 { return mean(a.Steps[seed], reached) })).Within(0, 1)
	return a
}

// overSeeds returns the values of all seeds.
func (a ArmReport) overSeeds(of func(seed int) float64) (values []float64) {
	for seed := range a.Steps {
		values = append(values, of(seed))
	}
	return values
}

// returns returns the mean return of the given episodes, by seed.
func (r Report) returns(a ArmReport, from, to int) []float64 {
	return a.overSeeds(func(seed int) float64 {
		if r.Spec.Reward {
			return mean(a.Returns[seed][from:to], func(x float64) float64 { return x })
		}
		return mean(a.Steps[seed][from:to], r.discounted)
	})
}

// steps returns the mean steps of the given episodes, by seed.
func (r Report) steps(a ArmReport, from, to int) []float64 {
	return a.overSeeds(func(seed int) float64 { return mean(a.Steps[seed][from:to], r.taken) })
}

// meanReturn returns the mean of returns. Those of a goal are between 0 and 1.
func (r Report) meanReturn(values []float64) *stats.Estimate {
	if r.Spec.Reward {
		return stats.Mean(values)
	}
	return stats.Mean(values).Within(0, 1)
}

// meanSteps returns the mean of steps to the goal, which are between 0 and the limit.
func (r Report) meanSteps(values []float64) *stats.Estimate {
	return stats.Mean(values).Within(0, float64(r.Spec.Limit))
}

// mean returns the mean of the given function over episodes.
func mean[T any](curve []T, worth func(T) float64) float64 {
	sum := 0.0
	for _, n := range curve {
		sum += worth(n)
	}
	return sum / float64(len(curve))
}

// taken returns the steps of an episode, the limit if it did not reach the goal.
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
	Arm    string
	Return []*stats.Estimate
	Steps  []*stats.Estimate
}

// Curves returns the curves of all arms, smoothed over the given window of episodes.
func (r Report) Curves(window int) []Curve {
	var curves []Curve
	for _, arm := range r.Arms {
		c := Curve{Arm: arm.Name}
		for i := range r.Spec.Episodes {
			from, to := max(0, i+1-window), i+1
			c.Return = append(c.Return, r.meanReturn(r.returns(arm, from, to)))
			c.Steps = append(c.Steps, r.meanSteps(r.steps(arm, from, to)))
		}
		curves = append(curves, c)
	}
	return curves
}

// Document is the output of podtrack evaluate --json. Parts that were not requested are nil.
type Document struct {
	Run       schema.Digest `json:"run"`
	K         int           `json:"k"`
	Report    *Report       `json:"evaluation,omitempty"`
	Summary   *Summary      `json:"summary,omitempty"` // of many tasks, only on the page
	Diffusion []Diffusion   `json:"diffusion,omitempty"`
}

// SummaryDocument is the output of podtrack evaluate --json about many tasks, or several runs.
type SummaryDocument struct {
	Summary Summary `json:"summary"`
}

// ArmText describes the action set of an arm.
func ArmText(name string) string {
	switch name {
	case evaluation.AgainstPrimitives:
		return "primitive actions"
	case evaluation.AgainstRandom:
		return "random options"
	case evaluation.AgainstHallways:
		return "hallway options"
	}
	return name
}
