package experience

import (
	"context"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
)

// A RewardModel is the model of an environment with rewards, estimated from recorded steps. Next states have the
// observed frequencies, and a transition earns its mean reward; episodes begin where recorded ones began, and end where
// they terminated. Only actions that were tried can be taken, since the others are unknown. For the same reason it
// leaves out transitions into states in which no action was tried, unless they ended an episode, and transitions from
// which every path leads into such states.
type RewardModel struct {
	Transitions int     // distinct ones: state, action, next state, and whether the episode terminated
	LeftOut     int     // of them
	Starts      int     // distinct states in which an episode can begin
	Terminates  bool    // some transition ends an episode
	Truncated   int64   // most steps of an episode that the environment truncated, 0 if it truncated none
	Largest     float64 // largest magnitude of a transition's mean reward

	States, actions int
	from            []int32 // by state and action: its first outcome; the last entry is the end
	outcomes        []rewardedOutcome
	starts          []int32
	weights         []int64 // of starts
}

// A rewardedOutcome is an outcome of an action.
type rewardedOutcome struct {
	Next   int32
	Over   bool
	weight int64
	Reward float64
}

// NewRewardModel returns the model of the steps that were counted in env.
func NewRewardModel(env envs.Env, t *RewardTally) (*RewardModel, error) {
	counts, means := t.sorted()
	keep := leadOn(env.States(), counts)
	m := &RewardModel{States: env.States(), actions: len(env.Actions()), Transitions: len(counts),
		Truncated: t.truncated}
	for i, c := range counts {
		if !keep[i] {
			m.LeftOut++
			continue
		}
		m.beginEdges(int(c.State)*m.actions + int(c.Action))
		m.outcomes = append(m.outcomes, rewardedOutcome{c.Next, c.Terminal, c.Count, means[i]})
		m.Terminates = m.Terminates || c.Terminal
		m.Largest = max(m.Largest, math.Abs(means[i]))
	}
	m.beginEdges(m.States * m.actions)
	for _, s := range t.sortedStarts() {
		if m.CanBegin(int(s)) {
			m.starts, m.weights = append(m.starts, s), append(m.weights, t.starts[s])
		}
	}
	m.Starts = len(m.starts)
	if m.Starts == 0 {
		return nil, schema.Hint(fmt.Errorf("%w: the recorded steps do not show what follows any start of an episode",
			schema.ErrSpec), "record more steps, or observations that recur")
	}
	return m, nil
}

// beginEdges sets the start of the outcomes of all edges up to the given one.
func (r *RewardModel) beginEdges(edge int) {
	for len(r.from) <= edge {
		r.from = append(r.from, int32(len(r.outcomes)))
	}
}

// leadOn reports, by transition, whether it ends an episode, or leads to a state from which such a transition can be
// reached.
func leadOn(states int, counts envs.TransitionCounts) []bool {
	keep, onward, into := make([]bool, len(counts)), make([]int, states), make([][]int32, states)
	for i, c := range counts {
		keep[i] = true
		onward[c.State]++
		if !c.Terminal {
			into[c.Next] = append(into[c.Next], int32(i))
		}
	}
	var ends []int32
	for s, n := range onward {
		if n == 0 {
			ends = append(ends, int32(s))
		}
	}
	for ; len(ends) > 0; ends = ends[1:] {
		for _, i := range into[ends[0]] {
			before := counts[i].State
			keep[i] = false
			if onward[before]--; onward[before] == 0 {
				ends = append(ends, before)
			}
		}
	}
	return keep
}

// IsTried reports whether an action was tried in state s.
func (r *RewardModel) IsTried(s, action int) bool {
	edge := s*r.actions + action
	return r.from[edge] < r.from[edge+1]
}

// CanBegin reports whether an action was tried in state s.
func (r *RewardModel) CanBegin(s int) bool { return r.from[s*r.actions] < r.from[(s+1)*r.actions] }

// outcomesOf returns the outcomes of an action in state s.
func (r *RewardModel) outcomesOf(s, action int) []rewardedOutcome {
	edge := s*r.actions + action
	return r.outcomes[r.from[edge]:r.from[edge+1]]
}

// Sample returns an outcome of an action that was tried, drawn by its frequency. It consumes a draw only if there are
// several.
func (r *RewardModel) Sample(s, action int, stream *rng.Stream) rewardedOutcome {
	all := r.outcomesOf(s, action)
	if len(all) == 1 {
		return all[0]
	}
	total := int64(0)
	for _, o := range all {
		total += o.weight
	}
	i := 0
	for at := int64(stream.Below(int(total))); at >= all[i].weight; i++ {
		at -= all[i].weight
	}
	return all[i]
}

// SampleStart returns the state in which an episode begins, drawn by its frequency. It consumes a draw only if there
// are several.
func (r *RewardModel) SampleStart(stream *rng.Stream) int {
	if len(r.starts) == 1 {
		return int(r.starts[0])
	}
	total := int64(0)
	for _, n := range r.weights {
		total += n
	}
	i := 0
	for at := int64(stream.Below(int(total))); at >= r.weights[i]; i++ {
		at -= r.weights[i]
	}
	return int(r.starts[i])
}

// maxBestWork limits the work of [RewardModel.Best], in outcomes.
const maxBestWork = 1 << 29

// Best returns the largest possible expected return, not discounted, in an episode of up to limit steps, from start or
// as the mean over the starts; nil if it takes too long to compute. It is computed by dynamic programming over the
// remaining steps.
func (r *RewardModel) Best(ctx context.Context, start int, limit int64) (*float64, error) {
	v, before := make([]float64, r.States), make([]float64, r.States)
	for work, steps := int64(0), int64(0); steps < limit; steps++ {
		if work += int64(len(r.outcomes) + r.States); work > maxBestWork {
			return nil, ctx.Err()
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		v, before = before, v
		same := true
		for s := range v {
			v[s] = r.backUp(s, before)
			same = same && v[s] == before[s]
		}
		if same {
			break
		}
	}
	if start != evaluation.AnyStart {
		return &v[start], nil
	}
	sum, total := 0.0, int64(0)
	for i, s := range r.starts {
		sum += float64(float64(r.weights[i]) * v[s])
		total += r.weights[i]
	}
	mean := sum / float64(total)
	return &mean, nil
}

// backUp returns the largest expected value of an action in state s, given the values of the next states; 0 if none was
// tried.
func (r *RewardModel) backUp(s int, v []float64) float64 {
	best, known := 0.0, false
	for action := range r.actions {
		sum, total := 0.0, int64(0)
		for _, o := range r.outcomesOf(s, action) {
			worth := o.Reward
			if !o.Over {
				worth += v[o.Next]
			}
			sum += float64(float64(o.weight) * worth)
			total += o.weight
		}
		if total == 0 {
			continue
		}
		if q := sum / float64(total); !known || q > best {
			best, known = q, true
		}
	}
	return best
}
