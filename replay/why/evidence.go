package why

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/matrix"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

// narrowGap is the gap to a neighbour, relative to σ, below which adding or removing a few rows changes the direction.
// A wider gap does not imply that the direction is stable across seeds.
const narrowGap = 0.01

// describe returns the purpose and how well the data determine it.
func (a *audit) describe() Purpose {
	p, sigma := a.purpose(), a.factors.Sigma
	rule, _ := a.spec.Select.ParseRule() // no error: the spec was checked
	held := selection.ThresholdStatistic(rule.By, p.Sigma, a.factors.Total)
	d := Purpose{
		J: p.J, Sign: p.Sign, Sigma: p.Sigma, Vector: p.Vector, Features: a.env.Features(),
		Basis: a.spec.Basis, Select: a.spec.Select, Method: cmp.Or(a.spec.Method, schema.POD),
		Scale: a.spec.FeatureScale, PsiPart: a.spec.PsiPart, Kappa: a.spec.Kappa, Margin: held - a.spec.Kappa, Lowest: 1,
		Warnings: []string{},
	}
	if by := a.spec.Stages.Of(schema.SelectStage); by != nil {
		d.SelectedBy = by.String()
	}
	if i := p.J - 1; i > 0 {
		d.GapAbove = d.gap(sigma[i-1] - sigma[i])
	}
	if i := p.J - 1; i+1 < len(sigma) {
		d.GapBelow = d.gap(sigma[i] - sigma[i+1])
	}
	if from := a.directionsFrom(); from != nil {
		d.DirectionsFrom = from.String()
		d.warn("the direction was made by %s: nothing proves that the data led to it; shares tell how much of "+
			"each transition's difference lies along it", from)
		return d
	}
	if d.Lowest < narrowGap && a.spec.Basis != schema.Posterior {
		d.warn("σ is within %.2g %% of a neighbour's: the data determine only the span of the two directions",
			100*narrowGap)
	}
	if a.spec.Basis == schema.Random {
		d.warn("the direction was drawn at random: the data decide only how many are drawn")
	}
	if a.spec.Basis == schema.Posterior {
		d.warn("the direction was drawn: the data decide only its distribution, N(0, (DᵀD + λI)⁻¹), and σ is not its own")
	}
	if a.spec.Basis == schema.RowsOfV {
		d.warn("a row of V depends on the order of the features and on the signs of the singular vectors, not on " +
			"the data alone")
	}
	switch {
	case !rule.UsesKappa():
	case rule.By.KeepsSmall() && -d.Margin < narrowGap*d.Kappa:
		d.warn("%s is under κ by less than %.2g %%", rule.By.Symbol(), 100*narrowGap)
	case !rule.By.KeepsSmall() && d.Margin < narrowGap*held:
		d.warn("%s exceeds κ by less than %.2g %%", rule.By.Symbol(), 100*narrowGap)
	}
	if p.Sigma == 0 && a.spec.Basis != schema.Random && a.spec.Basis != schema.Posterior {
		d.warn("σ is 0: no transition moves along it, so it has no evidence; which direction with σ 0 it is " +
			"depends on the order of the features")
	}
	return d
}

func (p *Purpose) gap(x float64) *float64 {
	if p.Sigma > 0 {
		p.Lowest = min(p.Lowest, x/p.Sigma)
	}
	return &x
}

func (p *Purpose) warn(format string, args ...any) {
	p.Warnings = append(p.Warnings, fmt.Sprintf(format, args...))
}

// describeData returns the D that was factored.
func (a *audit) describeData() Dataset {
	d := Dataset{
		Rows: a.factors.Total, Distinct: a.factors.Distinct(), Iterations: [2]int{a.firstOf(a.k), a.k},
		Steps: []Data{},
	}
	d.Digest, _ = a.run.Iterations[a.k].OnlyRecord(schema.KindFactors) // it was read
	for k := d.Iterations[0]; k <= a.k; k++ {
		for _, e := range a.run.Iterations[k].Records {
			if isImported(e.Kind) {
				d.Steps = append(d.Steps, Data{K: k, Kind: e.Kind, Digest: e.Name})
			}
		}
	}
	return d
}

// isImported reports whether D consists of records of this kind.
func isImported(kind schema.Kind) bool {
	return kind == schema.KindTransitions || kind == schema.KindRows
}

// weights holds the sums that shares are fractions of, and each row's product. All are relative to the largest product,
// so that squares neither overflow nor underflow.
type weights struct {
	products []float64
	unit     float64
	squares  float64 // Σp² over all rows of D
	rewards  float64 // Σmax(p,0)²
}

// roundingShare bounds the product of a row and a unit vector that rounding alone can cause, as a share of the row's
// largest number.
const roundingShare = 1e-13

// newWeights computes pᵢ = δᵢᵀe of rows with the given counts.
func newWeights(e []float64, rows []schema.SparseRow, counts []int64) weights {
	w := weights{products: make([]float64, len(rows))}
	seen := func(i int) bool { return i < len(counts) && counts[i] > 0 }
	large := 0.0
	for i, row := range rows {
		if seen(i) {
			for _, x := range row {
				large = max(large, math.Abs(x.Value))
			}
		}
	}
	for i, row := range rows {
		if seen(i) && large > 0 {
			for _, x := range row {
				w.products[i] += x.Value / large * e[x.Feature]
			}
		}
	}
	if linalg.LargestMagnitude(w.products) <= roundingShare { // no row moves along a direction of σ = 0
		clear(w.products)
	}
	unit := cmp.Or(linalg.LargestMagnitude(w.products), 1)
	w.unit = unit * large
	for i, p := range w.products {
		p /= unit
		w.products[i] = p
		if seen(i) {
			w.squares += float64(counts[i]) * p * p
			w.rewards += float64(counts[i]) * max(p, 0) * max(p, 0)
		}
	}
	return w
}

// reward returns the product of row i, or the nearest finite number.
func (w weights) reward(i int) float64 {
	return max(-math.MaxFloat64, min(math.MaxFloat64, w.products[i]*w.unit))
}

// of returns the share and the support of steps.
func (w weights) of(steps tally) (share, support float64) {
	for _, of := range steps {
		x, y := w.row(int(of.row), of.steps)
		share, support = share+x, support+y
	}
	return share, support
}

// row returns the share and the support of row i, observed n times.
func (w weights) row(i int, n int64) (share, support float64) {
	p := w.products[i]
	return part(float64(n)*p*p, w.squares), part(float64(n)*max(p, 0)*max(p, 0), w.rewards)
}

func part(x, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return x / whole
}

// evidence returns the distinct rows of D by their weight.
func (a *audit) evidence() []Evidence {
	list := append([]Evidence{}, a.out.Evidence...) // of a method's matrix, computed from its transitions
	if !a.hasMatrix() {
		f := a.factors
		w := newWeights(a.purpose().Vector, f.Rows, f.Counts)
		for i, n := range f.Counts {
			share, support := w.row(i, n)
			x := Evidence{Row: f.Row(i), Count: n, Product: w.reward(i), Share: share, Support: support}
			if row := a.rows.of(f.Rows[i]); row < len(a.data.first) { // or else steps were not recorded
				x.Steps = a.data.first[row]
			}
			list = append(list, x)
		}
	}
	slices.SortStableFunc(list, func(x, y Evidence) int {
		return cmp.Or(-cmp.Compare(x.Share, y.Share), -cmp.Compare(x.Product, y.Product))
	})
	return list
}

// explainStates finds the transitions behind a purpose that is a direction of a method's matrix.
func (a *audit) explainStates(ctx context.Context) error {
	if !a.hasMatrix() {
		return nil
	}
	if err := a.walk(ctx); err != nil {
		return err
	}
	var err error
	if a.own, err = a.sharesOfSteps(ctx, a.k, a.purpose().Vector, a.data); err != nil {
		return err
	}
	all := a.data.all()
	w := newWeights(a.purpose().Vector, a.rows.vectors, all)
	for row, n := range all {
		if n == 0 {
			continue
		}
		_, support := w.row(row, n)
		x := Evidence{Count: n, Product: w.reward(row), Share: a.own.row[row], Support: support, Steps: a.data.first[row],
			Row: []float64{}}
		if a.rows.byMove {
			x.From, x.To = &x.Steps[0].State, &x.Steps[0].Next
		}
		if n := len(a.purpose().Vector); n <= matrix.MaxMethodStates || !a.rows.byMove { // or else From and To tell it
			x.Row = a.rows.vectors[row].Dense(n)
		}
		a.out.Evidence = append(a.out.Evidence, x)
	}
	return nil
}

// sharesOfSteps returns the shares of steps for a purpose e of iteration k, whose D has the steps d. Those by row are
// left out unless D is a method's matrix.
func (a *audit) sharesOfSteps(ctx context.Context, k int, e []float64, d *stepCounts) (*stepShares, error) {
	if a.hasMatrix() {
		return shareFuncs[a.run.Spec.Method](a, ctx, k, e, d)
	}
	all := d.all()
	w, s := newWeights(e, a.rows.vectors, all), newStepShares(0)
	for role, by := range d.by {
		for source, t := range by {
			if share, _ := w.of(t); share > 0 {
				s.by[role][source] = share
			}
		}
	}
	return s, nil
}

// matrixWithout returns the matrix of iteration k, learned only from the steps that keep accepts. The part that it
// learned from the factors of earlier iterations is unchanged.
func (a *audit) matrixWithout(ctx context.Context, k int, keep func(tracedStep) bool) (linalg.Dataset, error) {
	return a.buildMatrix(ctx, k, func(i int, observe func(envs.Transition, bool)) error {
		steps, err := a.trace(i)
		if err != nil {
			return err
		}
		for _, s := range steps {
			if keep(s) {
				observe(s.move, s.resets)
			}
		}
		return ctx.Err()
	})
}

// buildMatrix returns the matrix of iteration k, learned from the steps that the function steps passes to observe for
// each iteration of its D.
func (a *audit) buildMatrix(
	ctx context.Context, k int, steps func(i int, observe func(envs.Transition, bool)) error,
) (linalg.Dataset, error) {
	m := matrix.NewStateMatrix(a.env, a.run.SpecAt(k))
	for i := a.firstOf(k); i <= k; i++ {
		m.Begin()
		if err := steps(i, m.Observe); err != nil {
			return linalg.Dataset{}, err
		}
		if err := m.End(ctx); err != nil {
			return linalg.Dataset{}, err
		}
		if i == k {
			break
		}
		f, _, err := a.run.Selection(i)
		if err != nil {
			return linalg.Dataset{}, err
		}
		m.Discover(f)
	}
	return m.Dataset(len(a.env.Features()))
}

// sameMatrix compares the recorded rows with those that the steps give, without keeping the steps in memory.
func (a *audit) sameMatrix(ctx context.Context, k int, f schema.Factors) (bool, error) {
	d, err := a.buildMatrix(ctx, k, func(i int, observe func(envs.Transition, bool)) error {
		_, err := a.run.VisitSteps(i, func(s recorded.Step) {
			observe(envs.Transition{State: int32(s.State), Next: int32(s.Next), Terminal: s.Terminal}, s.Resets)
		})
		return a.run.WrapError(i, err)
	})
	if err == nil && envs.FeaturesGrow(a.env) { // there are more of them than k knew
		env, err := a.run.EnvAfter(k)
		if err != nil {
			return false, err
		}
		d.AllFeatures = env.States()
	}
	return err == nil && d.Dims == f.Dims && slices.Equal(d.Columns, f.Columns) && d.AllFeatures == f.AllFeatures &&
		sameRows(d.Rows, f.Rows) && slices.Equal(d.Counts, f.Counts), err
}

// sameRows reports whether rows are the same.
func sameRows(a, b []schema.SparseRow) bool {
	return slices.EqualFunc(a, b, slices.Equal[schema.SparseRow])
}
