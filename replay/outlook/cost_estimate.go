package outlook

import (
	"slices"
	"time"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Evidence says what an estimate of time is based on.
type Evidence string

// The kinds of evidence, the best first.
const (
	FromSimilar Evidence = "similar runs" // recorded costs of runs that differ only in the seed
	FromRun     Evidence = "the run"      // recorded costs of the run's own iterations
	AtLeast     Evidence = "at least"     // only the stages that have been timed
)

// costEstimator estimates the cost of iterations that are not recorded yet.
type costEstimator struct {
	tx  *tracker.Tx
	all []report.Run // of the store, newest first

	similar map[schema.Digest][]*report.Run // runs by their spec without the seed, at most maxSimilar
}

// maxSimilar is the number of similar runs, the newest ones, from which an estimate is made.
const maxSimilar = 8

// maxSampled is the largest number of later iterations whose costs are read. If there are more, each one read stands
// for those up to the next.
const maxSampled = 200

// stageCosts has the seconds of each stage of an iteration. It is empty if they are unknown.
type stageCosts map[string]float64

func (s stageCosts) total() (seconds float64) {
	for _, stage := range stages.All {
		seconds += s[stage]
	}
	return seconds
}

// fraction returns the fraction of an iteration with these costs that is done at a position; nil is its beginning.
func (s stageCosts) fraction(at *report.Position) float64 {
	if at == nil {
		return 0
	}
	total := s.total()
	if total == 0 {
		return stages.FractionOfIteration(at.Stage, at.Part, at.Parts)
	}
	done := s[at.Stage] * float64(at.Part) / float64(max(at.Parts, 1))
	for _, before := range stages.All[:max(0, slices.Index(stages.All, at.Stage))] {
		done += s[before]
	}
	return min(1, done/total)
}

// estimate returns the fraction of the current iteration that is done, and the estimated seconds to the run's target,
// nil if no cost is known, with the evidence for both. last is the run's last session.
func (c *costEstimator) estimate(
	r report.Run, at *report.Position, last tracker.Session,
) (within float64, left *float64, from Evidence, err error) {
	if r.Iterations >= r.Target {
		return 0, nil, "", nil
	}
	similar, err := c.similarTo(r)
	if err != nil {
		return 0, nil, "", err
	}
	recorded, err := c.meanCosts(similar, r.Iterations)
	if err != nil {
		return 0, nil, "", err
	}
	from = FromSimilar
	if recorded.total() == 0 {
		from = FromRun
		if recorded, err = c.recentCosts(&r); err != nil {
			return 0, nil, "", err
		}
	}
	within = recorded.fraction(at)
	each := recorded.total()
	if each == 0 {
		left = leastLeft(r, at, last)
		if left == nil {
			return within, nil, "", nil
		}
		if at.Stage == stages.Collect { // an upper bound: the stages that follow count as 0, as in left
			within = min(1, float64(at.Part)/float64(max(at.Parts, 1)))
		}
		return within, left, AtLeast, nil
	}
	seconds := each * (1 - within)
	stride := max(1, (r.Target-r.Iterations-1+maxSampled-1)/maxSampled)
	for k := r.Iterations + 1; k < r.Target; k += stride {
		later, err := c.meanCosts(similar, k)
		if err != nil {
			return within, nil, "", err
		}
		if len(later) == 0 { // nor does any later iteration have costs
			seconds += each * float64(r.Target-k)
			break
		}
		each = later.total()
		seconds += each * float64(min(stride, r.Target-k))
	}
	return within, &seconds, from, nil
}

// leastLeft returns a lower bound of the seconds that a run in its first iteration still takes, nil if it has had no
// single session. It is based on the time from the session's start to its last save. While the run collects, that time
// determines how long collecting takes; the stages that follow are unknown and count as 0.
func leastLeft(r report.Run, at *report.Position, last tracker.Session) *float64 {
	if r.Iterations > 0 || last.From > 0 || at == nil || last.Saved <= last.Started || at.Part == 0 {
		return nil
	}
	spent := time.Duration(last.Saved - last.Started).Seconds()
	each := spent // an iteration takes that long, or longer
	if at.Stage == stages.Collect {
		each = spent * float64(max(at.Parts, at.Part)) / float64(at.Part)
	}
	return new(each*float64(r.Target) - spent)
}

// meanCosts returns the mean costs of iteration k of the runs that have it.
func (c *costEstimator) meanCosts(runs []*report.Run, k int) (stageCosts, error) {
	var all []stageCosts
	for _, r := range runs {
		costs, err := c.costs(r, k)
		if err != nil {
			return nil, err
		}
		all = append(all, costs)
	}
	return mean(all), nil
}

// recentIterations is the number of a run's last iterations from which the next ones are estimated: the time of a
// single one is unreliable on a machine with other work.
const recentIterations = 5

// recentCosts returns the mean costs of the run's last iterations.
func (c *costEstimator) recentCosts(r *report.Run) (stageCosts, error) {
	var all []stageCosts
	for k := max(0, r.Iterations-recentIterations); k < r.Iterations; k++ {
		costs, err := c.costs(r, k)
		if err != nil {
			return nil, err
		}
		all = append(all, costs)
	}
	return mean(all), nil
}

// mean returns the mean of the known costs.
func mean(all []stageCosts) stageCosts {
	sum, n := stageCosts{}, 0.0
	for _, costs := range all {
		if len(costs) > 0 {
			n++
		}
		for stage, seconds := range costs {
			sum[stage] += seconds
		}
	}
	for stage := range sum {
		sum[stage] /= n
	}
	return sum
}

// costs returns the costs of iteration k of a run.
func (c *costEstimator) costs(r *report.Run, k int) (stageCosts, error) {
	if k < 0 || k >= r.Iterations {
		return nil, nil
	}
	cost, err := c.tx.ReadCost(r.ID, k)
	costs := stageCosts{}
	for stage, ns := range cost.Stages {
		costs[stage] = float64(ns) / 1e9
	}
	return costs, err
}

// similarTo returns runs whose specs differ from the run's only in the seed, newest first.
func (c *costEstimator) similarTo(r report.Run) ([]*report.Run, error) {
	if c.similar == nil {
		c.similar = map[schema.Digest][]*report.Run{}
		for i := range c.all {
			if c.all[i].Iterations == 0 {
				continue
			}
			key, err := seedlessID(c.all[i].Spec)
			if err != nil {
				return nil, err
			}
			if runs := c.similar[key]; len(runs) < maxSimilar {
				c.similar[key] = append(runs, &c.all[i])
			}
		}
	}
	key, err := seedlessID(r.Spec)
	return c.similar[key], err
}

// seedlessID returns a digest that is equal for specs that differ only in the seed.
func seedlessID(s schema.Spec) (schema.Digest, error) {
	s.Seed = 0
	return schema.RunID(s, nil)
}
