package why

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/matrix"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

// shareFuncs holds, by method with a matrix, the function that attributes parts of σ, σ² or λ to steps.
var shareFuncs = map[schema.Method]func(*audit, context.Context, int, []float64, *stepCounts) (*stepShares, error){
	schema.Laplacian: func(a *audit, _ context.Context, _ int, e []float64, d *stepCounts) (*stepShares, error) {
		return laplacianShares(e, a.rows.vectors, d), nil
	},
	schema.Successor:         (*audit).successorShares,
	schema.SuccessorFeatures: (*audit).successorFeatureShares,
	schema.Covering:          (*audit).coveringShares,
	schema.Counts:            (*audit).countShares,
}

// laplacianShares returns shares of eᵀ(2I − L)e, which is σ for a direction of 2I − L. It is the sum of
// (e(s)/√d(s) + e(s')/√d(s'))² over the pairs of states between which any step was observed, d being
// how many neighbours a state has. The steps of a pair, in either direction, have equal parts.
func laplacianShares(e []float64, moves []schema.SparseRow, d *stepCounts) *stepShares {
	degree, known := make([]int, len(e)), map[[2]int]bool{}
	for row, n := range d.all() {
		if pair, ok := pairOf(moves[row]); ok && n > 0 && !known[pair] {
			known[pair] = true
			degree[pair[0]]++
			degree[pair[1]]++
		}
	}
	return pairShares(moves, d, func(pair [2]int) float64 {
		return e[pair[0]]/math.Sqrt(float64(degree[pair[0]])) + e[pair[1]]/math.Sqrt(float64(degree[pair[1]]))
	})
}

// coveringShares returns shares of vᵀLv, which is λ for the Fiedler vector v: the sum of (v(s) − v(s'))² over the pairs
// of states between which any step was observed. Pairs that were discovered earlier have no steps, and thus no share.
func (a *audit) coveringShares(ctx context.Context, k int, _ []float64, d *stepCounts) (*stepShares, error) {
	f, _, err := a.run.Selection(k)
	if err != nil {
		return nil, err
	}
	v := selection.NewDirections(a.run.SpecAt(k), k, f).Vector(0)
	return pairShares(a.rows.vectors, d, func(pair [2]int) float64 { return v[pair[0]] - v[pair[1]] }), nil
}

// pairShares returns shares of the sum of the squares of roots, by the pairs of states between which any
// step was observed. The steps of a pair, in either direction, have equal parts.
func pairShares(moves []schema.SparseRow, d *stepCounts, root func(pair [2]int) float64) *stepShares {
	all, pairs := d.all(), map[[2]int]int64{}
	for row, n := range all {
		if pair, ok := pairOf(moves[row]); ok && n > 0 {
			pairs[pair] += n
		}
	}
	unit, whole := make([]float64, len(all)), 0.0 // of a step, by row
	for row, n := range all {
		if pair, ok := pairOf(moves[row]); ok && n > 0 {
			x := root(pair)
			unit[row] = x * x / float64(pairs[pair])
			whole += unit[row] * float64(n)
		}
	}
	s := newStepShares(len(all))
	for row, n := range all {
		s.row[row] = part(unit[row]*float64(n), whole)
	}
	for role, by := range d.by {
		for source, t := range by {
			for _, x := range t {
				s.by[role][source] += part(unit[x.row]*float64(x.steps), whole)
			}
		}
	}
	return s
}

func newStepShares(rows int) *stepShares {
	return &stepShares{row: make([]float64, rows), by: [roles]map[int]float64{{}, {}}}
}

// add adds the share of a step.
func (s *stepShares) add(step tracedStep, share float64) {
	s.row[step.row] += share
	for role, source := range step.by {
		s.by[role][int(source)] += share
	}
}

// countShares returns shares of Σ 1/n(s), which is σ², n(s) being how often s was visited. Each visit of
// s has the part 1/n(s)²; it is that of the step that ended in s, or began an iteration or an episode
// there.
func (a *audit) countShares(ctx context.Context, k int, _ []float64, _ *stepCounts) (*stepShares, error) {
	visits := map[int32]float64{}
	eachVisit := func(visit func(s tracedStep, state int32)) error {
		for i := a.firstOf(k); i <= k; i++ {
			steps, err := a.trace(i)
			if err != nil {
				return err
			}
			begins := true
			for _, s := range steps {
				if begins {
					visit(s, s.move.State)
				}
				visit(s, s.move.Next)
				begins = s.resets
			}
		}
		return nil
	}
	if err := eachVisit(func(_ tracedStep, state int32) { visits[state]++ }); err != nil {
		return nil, err
	}
	whole := 0.0
	for _, state := range slices.Sorted(maps.Keys(visits)) {
		whole += 1 / visits[state]
	}
	out := newStepShares(len(a.rows.vectors))
	return out, eachVisit(func(s tracedStep, state int32) {
		out.add(s, part(1/(visits[state]*visits[state]), whole))
	})
}

// passesOf returns the steps of iteration k's D in the order in which a successor representation learns from them.
func (a *audit) passesOf(k int) (steps []tracedStep, err error) {
	for i := a.firstOf(k); i <= k; i++ {
		more, err := a.trace(i)
		if err != nil {
			return nil, err
		}
		for range a.run.SpecAt(k).SuccessorPasses() {
			steps = append(steps, more...)
		}
	}
	return steps, nil
}

// successorFeatureShares does for successor features what [audit.successorShares] does for states. With
// y = We, a step from s to s' makes y ← y + α φ(s) [φ(s)ᵀe + γ φ(s')ᵀy − φ(s)ᵀy], and σ² is the sum of
// (φᵀy)² over the distinct observations that any step began in.
func (a *audit) successorFeatureShares(
	ctx context.Context, k int, e []float64, _ *stepCounts,
) (*stepShares, error) {
	steps, err := a.passesOf(k)
	if err != nil {
		return nil, err
	}
	gamma, y := a.run.SpecAt(k).SuccessorGamma(), make([]float64, len(e))
	here, next := make([]float64, len(e)), make([]float64, len(e))
	observe := func(s tracedStep) (rate, in, passes float64) {
		a.env.Observe(int(s.move.State), here)
		a.env.Observe(int(s.move.Next), next)
		rate, in, passes = matrix.StepSizeFor(here), linalg.Dot(here, e), gamma
		if s.move.Terminal {
			in, passes = in+gamma*linalg.Dot(next, e), 0
		}
		return rate, in, passes
	}
	departed := map[int32]bool{}
	for _, s := range steps {
		departed[s.move.State] = true
		rate, in, passes := observe(s)
		floats.AddScaled(y, rate*(in+passes*linalg.Dot(next, y)-linalg.Dot(here, y)), here)
	}
	whole, weight := 0.0, make([]float64, len(e)) // of what is in y now for σ² in the end
	for _, s := range matrix.DistinctObservations(a.env, slices.Sorted(maps.Keys(departed))) {
		a.env.Observe(int(s), here)
		value := linalg.Dot(here, y)
		whole += value * value
		floats.AddScaled(weight, value, here)
	}
	out := newStepShares(len(a.rows.vectors))
	for i := len(steps) - 1; i >= 0; i-- {
		rate, in, passes := observe(steps[i])
		through := rate * linalg.Dot(here, weight)
		out.add(steps[i], part(in*through, whole))
		floats.AddScaled(weight, -through, here)
		floats.AddScaled(weight, passes*through, next)
	}
	return out, nil
}

// pairOf returns the two states of a transition, the lower one first, false if it stays in place.
func pairOf(move schema.SparseRow) (pair [2]int, ok bool) {
	if len(move) < 2 {
		return pair, false
	}
	return [2]int{int(move[0].Feature), int(move[1].Feature)}, true
}

// successorShares returns shares of ‖Ψe‖², which is σ² for a direction of Ψ, or of eᵀΨe, which is σ or −σ for
// one of its symmetric part. With y = Ψe, the update that a step from s to s' makes is y(s) ← (1 − α) y(s) + α (e(s) +
// γ y(s')): what the step puts in, α e(s), reaches the final y by way of the later updates, linearly, so that its
// part of the sum is known from the steps in reverse. Parts may be below 0, and add up to the whole.
func (a *audit) successorShares(ctx context.Context, k int, e []float64, _ *stepCounts) (*stepShares, error) {
	steps, err := a.passesOf(k)
	if err != nil {
		return nil, err
	}
	gamma, y := a.run.SpecAt(k).SuccessorGamma(), make([]float64, len(e))
	for _, s := range steps {
		from, next := s.move.State, y[s.move.Next]
		if s.move.Terminal {
			next = e[s.move.Next]
		}
		y[from] += matrix.StepSize * (e[from] + gamma*next - y[from])
	}
	weight := y // of what is in Ψe now for the sum in the end
	if a.run.SpecAt(k).PsiPart == schema.SymmetricPart {
		weight = slices.Clone(e)
	}
	whole := linalg.Dot(weight, y)
	out := newStepShares(len(a.rows.vectors))
	for i := len(steps) - 1; i >= 0; i-- {
		s := steps[i]
		from, next := s.move.State, s.move.Next
		in := e[from]
		passed := matrix.StepSize * gamma * weight[from]
		if s.move.Terminal {
			in, passed = in+gamma*e[next], 0
		}
		out.add(s, part(matrix.StepSize*in*weight[from], whole))
		weight[from] -= matrix.StepSize * weight[from]
		weight[next] += passed
	}
	return out, nil
}

// maxTraced is the number of steps of D, in each pass, up to which the shares of a successor representation are
// computed: all of them are in memory.
const maxTraced = 1 << 24

// ErrTooLong is the error of auditing more steps than fit into memory.
var ErrTooLong = errors.New("too many steps")

// trace returns the steps of iteration k.
func (a *audit) trace(k int) ([]tracedStep, error) {
	if steps, ok := a.traces[k]; ok {
		return steps, nil
	}
	if spec := a.run.SpecAt(k); spec.Steps > maxTraced/spec.SuccessorPasses() {
		return nil, schema.Hint(fmt.Errorf("%w: iteration %d has %d, and evidence of method %s is computed for %d at most",
			ErrTooLong, k, spec.Steps, spec.Method, maxTraced/spec.SuccessorPasses()),
			"replay proves the run; a shorter run of the same spec can be audited")
	}
	var steps []tracedStep
	calls := newCallTracker()
	_, err := a.run.VisitSteps(k, func(s recorded.Step) {
		steps = append(steps, tracedStep{
			move: envs.Transition{State: int32(s.State), Next: int32(s.Next), Terminal: s.Terminal},
			by:   calls.sourcesOf(s), row: int32(a.rows.step(s)), resets: s.Resets,
		})
	})
	if err != nil {
		return nil, a.run.WrapError(k, err)
	}
	if a.traces == nil {
		a.traces = map[int][]tracedStep{}
	}
	a.traces[k] = steps
	return steps, nil
}
