package study

import (
	"context"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Lost describes options of a setting: how many directions they come from, how far they lead, and where they
// end. The options of the variant that keeps every direction are described by their σ.
type Lost struct {
	Setting    string   `json:"setting"`
	Variant    string   `json:"variant"`
	Sigma      string   `json:"sigma"`      // range of σ, "" for all
	Directions float64  `json:"directions"` // mean number an iteration
	Steps      *float64 `json:"steps"`      // mean length of a call from a visited state
	Beyond     *float64 `json:"beyond"`     // share of those calls that end in a state not visited yet
}

// A sigmaRange holds σ above low, up to high.
type sigmaRange struct {
	text      string
	low, high float64
}

// sigmaRanges are the ranges of σ that are told apart, by the κ of the paper and of the candidate. The first
// is of all.
var sigmaRanges = []sigmaRange{
	{"", -1, maxSigma}, {"σ > 8", 8, maxSigma}, {"1 < σ ≤ 8", 1, 8}, {"0 < σ ≤ 1", 0, 1}, {"σ = 0", -1, 0},
}

const maxSigma = 1e300

// LostSeeds is the number of seeds whose options are described.
const LostSeeds = 10

// findLost describes the options of a setting's variants, those of every direction by σ. It returns nothing
// where the steps of an option are not determined.
func (s Study) findLost(
	ctx context.Context, store *tracker.Store, setting Setting, variants []group.Group,
) (all []Lost, err error) {
	for _, v := range variants {
		ranges := sigmaRanges[:1]
		if v.Filter == s.Everything {
			ranges = sigmaRanges
		}
		counts := make([]callCount, len(ranges))
		runs := v.Selected()[:min(len(v.Selected()), LostSeeds)]
		for _, r := range runs {
			err := store.View(ctx, func(tx *tracker.Tx) error {
				return s.countCalls(tx, r.Source, ranges, counts)
			})
			if err != nil {
				return nil, err
			}
		}
		for i, of := range ranges {
			if counts[i].directions > 0 {
				all = append(all, counts[i].describe(setting.Name, v.Filter, of.text, len(runs)*(s.Iterations-1)))
			}
		}
	}
	return all, nil
}

// A callCount counts the calls of options from each state that was visited.
type callCount struct {
	directions           int
	calls, steps, beyond int64
}

func (c callCount) describe(setting, variant, sigma string, iterations int) Lost {
	l := Lost{Setting: setting, Variant: variant, Sigma: sigma, Directions: float64(c.directions) / float64(iterations)}
	if c.calls > 0 {
		steps, beyond := float64(c.steps)/float64(c.calls), float64(c.beyond)/float64(c.calls)
		l.Steps, l.Beyond = &steps, &beyond
	}
	return l
}

// countCalls counts the calls of the options that each iteration of a run but the study's last made, without those kept
// from earlier ones.
func (s Study) countCalls(tx *tracker.Tx, run tracker.Run, ranges []sigmaRange, counts []callCount) error {
	env, err := recorded.LoadEnv(tx, run)
	if err != nil {
		return err
	}
	known, ok := envs.As[envs.ModelEnv](env)
	if !ok || !known.Deterministic() {
		return nil
	}
	visits, err := explore.ReadVisits(tx.View, run)
	if err != nil {
		return err
	}
	iterations, err := tx.ReadIterations(run.ID)
	if err != nil {
		return err
	}
	visited := make([]bool, env.States())
	next := 0
	for k := range s.Iterations - 1 {
		for ; next < len(visits.First) && visits.First[next].Steps <= visits.Iterations[k].Steps; next++ {
			visited[visits.First[next].State] = true
		}
		options, err := recorded.LoadOptions(tx, env, iterations[k])
		if err != nil {
			return err
		}
		counted := map[[2]int]bool{} // by range and direction
		for _, o := range options {
			call := countFrom(known.Model(), o, visited, visits.First[:next])
			for i, r := range ranges {
				if o.Purpose.Sigma > r.low && o.Purpose.Sigma <= r.high {
					counts[i].add(call, !counted[[2]int{i, o.Purpose.J}])
					counted[[2]int{i, o.Purpose.J}] = true
				}
			}
		}
	}
	return nil
}

// add adds the calls of an option, which may be the first one of its direction.
func (c *callCount) add(call callCount, first bool) {
	if first {
		c.directions++
	}
	c.calls, c.steps, c.beyond = c.calls+call.calls, c.steps+call.steps, c.beyond+call.beyond
}

// countFrom counts one call of an option from each of the states in which it can start.
func countFrom(m *envs.Model, o *schema.Option, visited []bool, from []explore.FirstVisit) (c callCount) {
	steps, ends := learn.FollowPolicy(m, o.Policy)
	for _, f := range from {
		if !o.CanStart(f.State) || steps[f.State] == envs.Never {
			continue
		}
		c.calls++
		c.steps += int64(steps[f.State])
		if !visited[ends[f.State]] {
			c.beyond++
		}
	}
	return c
}
