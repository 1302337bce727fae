package why

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// shareFuncs holds, by method on states, how much of σ or σ² each step is behind.
var shareFuncs = map[schema.Method]func(*audit, context.Context, int, []float64, *stepCounts) (*stepShares, error){
	schema.Laplacian: func(a *audit, _ context.Context, _ int, e []float64, d *stepCounts) (*stepShares, error) {
		return laplacianShares(e, a.rows.vectors, d), nil
	},
	schema.Successor: (*audit).successorShares,
}

// laplacianShares returns shares of eᵀ(2I − L)e, which is σ for a direction of 2I − L. It is the sum of
// (e(s)/√d(s) + e(s')/√d(s'))² over the pairs of states between which any step was observed, d being
// how many neighbours a state has. The steps of a pair, in either direction, have equal parts.
func laplacianShares(e []float64, moves []schema.SparseRow, d *stepCounts) *stepShares {
	all := d.all()
	degree, pairs := make([]int, len(e)), map[[2]int]int64{}
	for row, n := range all {
		pair, ok := pairOf(moves[row])
		if !ok || n == 0 {
			continue
		}
		if pairs[pair] == 0 {
			degree[pair[0]]++
			degree[pair[1]]++
		}
		pairs[pair] += n
	}
	unit, whole := make([]float64, len(all)), 0.0 // of a step, by row
	for row, n := range all {
		if pair, ok := pairOf(moves[row]); ok && n > 0 {
			x := e[pair[0]]/math.Sqrt(float64(degree[pair[0]])) + e[pair[1]]/math.Sqrt(float64(degree[pair[1]]))
			unit[row] = x * x / float64(pairs[pair])
			whole += unit[row] * float64(n)
		}
	}
	s := &stepShares{row: make([]float64, len(all)), force: map[int]float64{}, after: map[int]float64{}}
	for row, n := range all {
		s.row[row] = part(unit[row]*float64(n), whole)
	}
	for _, of := range []struct {
		to   map[int]float64
		from map[int]tally
	}{{s.force, d.force}, {s.after, d.after}} {
		for source, t := range of.from {
			for _, x := range t {
				of.to[source] += part(unit[x.row]*float64(x.steps), whole)
			}
		}
	}
	return s
}

// pairOf returns the two states of a transition, the lower one first, false if it stays in place.
func pairOf(move schema.SparseRow) (pair [2]int, ok bool) {
	if len(move) < 2 {
		return pair, false
	}
	return [2]int{int(move[0].Feature), int(move[1].Feature)}, true
}

// successorShares returns shares of ‖Ψe‖², which is σ² for a direction of Ψ. With y = Ψe, the update
// that a step from s to s' makes is y(s) ← (1 − α) y(s) + α (e(s) + γ y(s')): what the step puts in,
// α e(s), reaches the final y by way of the later updates, linearly, so that its part of Σy² is known
// from the steps in reverse. Parts may be below 0, and add up to the whole.
func (a *audit) successorShares(ctx context.Context, k int, e []float64, _ *stepCounts) (*stepShares, error) {
	var steps []tracedStep
	for i := a.firstOf(k); i <= k; i++ {
		more, err := a.trace(ctx, i)
		if err != nil {
			return nil, err
		}
		steps = append(steps, more...)
	}
	gamma, y := a.run.Source.SpecAt(k).Gamma, make([]float64, len(e))
	for _, s := range steps {
		from, next := s.move.State, y[s.move.Next]
		if s.move.Terminal {
			next = e[s.move.Next]
		}
		y[from] += pod.StepSize * (e[from] + gamma*next - y[from])
	}
	whole := 0.0
	for _, x := range y {
		whole += x * x
	}
	out := &stepShares{row: make([]float64, len(a.rows.vectors)), force: map[int]float64{}, after: map[int]float64{}}
	weight := y // of what is in Ψe now for Σy² in the end
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		from, next := s.move.State, s.move.Next
		in := e[from]
		passed := pod.StepSize * gamma * weight[from]
		if s.move.Terminal {
			in, passed = in+gamma*e[next], 0
		}
		share := part(pod.StepSize*in*weight[from], whole)
		out.row[s.row] += share
		out.force[int(s.source)] += share
		out.after[int(s.after)] += share
		weight[from] -= pod.StepSize * weight[from]
		weight[next] += passed
	}
	return out, nil
}

// maxTraced is the number of steps of D up to which the shares of a successor representation are
// computed: all of them are in memory.
const maxTraced = 1 << 24

// ErrTooLong is the error of an audit of more steps than fit into memory.
var ErrTooLong = errors.New("too many steps")

// trace returns the steps of iteration k.
func (a *audit) trace(ctx context.Context, k int) ([]tracedStep, error) {
	if steps, ok := a.traces[k]; ok {
		return steps, nil
	}
	if n := a.run.Source.SpecAt(k).Steps; n > maxTraced {
		return nil, schema.Hint(fmt.Errorf("%w: iteration %d has %d, and evidence of method %s is computed for %d at most",
			ErrTooLong, k, n, a.spec.Method, maxTraced), "replay proves the run; a shorter run of the same spec can be audited")
	}
	var steps []tracedStep
	calls := newCallTracker()
	err := a.run.View(ctx, func(tx *tracker.Tx) error {
		_, err := replay.VisitSteps(tx, a.env, a.begin[k], a.run.Iterations[k], func(s replay.Step) {
			steps = append(steps, tracedStep{
				move:   pod.Transition{State: int32(s.State), Next: int32(s.Next), Terminal: s.Terminal},
				source: int32(sourceOf(s)), after: int32(calls.lastCompleted(s)), row: int32(a.rows.step(s)),
			})
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("run %s, iteration %d: %w", a.run.Label(), k, err)
	}
	if a.traces == nil {
		a.traces = map[int][]tracedStep{}
	}
	a.traces[k] = steps
	return steps, nil
}
