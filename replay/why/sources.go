package why

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
)

// explainSources sums up the evidence by the executing option or action, and by the option completed before.
func (a *audit) explainSources(ctx context.Context) (err error) {
	if !a.hasModel() {
		return nil
	}
	if a.own == nil {
		if a.own, err = a.sharesOfSteps(ctx, a.k, a.purpose().Vector, a.data); err != nil {
			return err
		}
	}
	w := newWeights(a.purpose().Vector, a.rows.vectors, a.data.all())
	if a.out.Sources, err = a.weighSources(ctx, w, executing); err == nil {
		a.out.After, err = a.weighSources(ctx, w, completed)
	}
	return err
}

func (a *audit) weighSources(ctx context.Context, w weights, role role) ([]Source, error) {
	list := []Source{}
	for number, steps := range a.data.by[role] {
		s := Source{Source: a.nameOf(number, role), Steps: steps.total(), number: number}
		if number >= 0 {
			s.Number = &number
		}
		_, s.Support = w.of(steps)
		s.Share = a.own.by[role][number]
		list = append(list, s)
	}
	slices.SortFunc(list, func(x, y Source) int {
		return cmp.Or(-cmp.Compare(x.Share, y.Share), -cmp.Compare(x.Steps, y.Steps), cmp.Compare(x.number, y.number))
	})
	for i := range a.countAblations(len(list)) {
		nearest, err := a.factorWithout(ctx, a.k, a.data, list[i].number, role, a.purpose().Sign)
		if err != nil {
			return nil, fmt.Errorf("factor D without the steps of %s: %w", cmp.Or(list[i].Source, "no option"), err)
		}
		list[i].Without = new(nearest(a.purpose()))
	}
	return list, nil
}

// factorWithout factors iteration k's D, which has the steps d, again without those of a source. It returns a function
// that finds the direction nearest to a purpose with that sign.
func (a *audit) factorWithout(
	ctx context.Context, k int, d *stepCounts, source int, role role, sign int,
) (nearest func(schema.Purpose) Ablation, err error) {
	nearest = func(schema.Purpose) Ablation { return Ablation{} } // of nothing
	spec, left := a.run.SpecAt(k), linalg.Dataset{}
	own, _, err := a.run.Selection(k)
	switch {
	case err != nil:
		return nil, err
	case a.hasMatrix():
		left, err = a.matrixWithout(ctx, k, func(s tracedStep) bool { return int(s.by[role]) != source })
	default:
		left = a.rowsWithout(own, d.all(), d.by[role][source].dense())
	}
	if err != nil || len(left.Counts) == 0 {
		return nearest, err
	}
	f, err := factorAgain(ctx, pod.FactoringOf(a.env, spec), left)
	if err != nil || f.Total == 0 {
		return nearest, err
	}
	if spec.Basis == schema.RowsOfV {
		alignSigns(&f, own)
	}
	passing, err := selection.FindPassing(spec, f)
	if err != nil {
		return nil, err
	}
	image, err := a.rewardImage(ctx, k, d)
	if err != nil {
		return nil, err
	}
	images, directions := make([][]float64, len(f.Sigma)), selection.NewDirections(spec, k, f)
	for j := range images {
		images[j] = image(directions.Signed(j, sign))
	}
	return func(p schema.Purpose) Ablation { return nearestOf(images, image(p.Vector), f.Sigma, passing) }, nil
}

// rewardImage returns a function that maps the purposes of iteration k, whose D has these steps, to coordinates in
// which cos_M is the ordinary cosine.
func (a *audit) rewardImage(ctx context.Context, k int, d *stepCounts) (func([]float64) []float64, error) {
	env, known := envs.As[envs.SimulatedEnv](a.env)
	visited := a.run.Spec.StateSet == schema.VisitedStates
	if !visited && (known || !a.hasMatrix()) {
		k = everyIteration
	}
	if a.image != nil && a.imageOf == k {
		return a.image, nil
	}
	p, dims, transitions := selection.Projection{}, len(a.env.Features()), selection.Transitions(nil)
	var data linalg.Dataset // the distinct rows of D's steps
	for row, n := range d.all() {
		if n > 0 {
			data.Rows, data.Counts = append(data.Rows, a.rows.vectors[row]), append(data.Counts, n)
		}
	}
	switch {
	case visited:
		f, _, err := a.run.Selection(k)
		if err != nil {
			return nil, err
		}
		p = selection.NewProjection(a.env, nil, f)
		dims, transitions = p.Dims, p.Transitions(a.env, movesOf(data))
	case known:
		if err := envs.BuildModel(ctx, env); err != nil {
			return nil, err
		}
		transitions = selection.ModelTransitions(env)
	case a.hasMatrix():
		transitions = selection.DataTransitions(data)
	default: // what comes later, which an audit document has not, changes no answer
		soFar := a.run.With(a.run.View)
		soFar.Iterations = soFar.Iterations[:a.k+1]
		all, err := soFar.Datasets(a.spec.Method != "")
		if err != nil {
			return nil, err
		}
		transitions = selection.DataTransitions(all...)
	}
	similarity, err := selection.NewSimilarity(ctx, dims, transitions)
	if err != nil {
		return nil, err
	}
	a.image, a.imageOf = func(e []float64) []float64 { return similarity.Image(p.Apply(e)) }, k
	return a.image, nil
}

// everyIteration stands for the iteration of an image that is the same for all of them.
const everyIteration = -1

// movesOf returns the transitions between two states that rows over states are of.
func movesOf(data linalg.Dataset) (moves envs.TransitionCounts) {
	for i, row := range data.Rows {
		if len(row) == 2 {
			step := envs.Transition{State: row[0].Feature, Next: row[1].Feature}
			moves = append(moves, envs.CountedTransition{Transition: step, Count: data.Counts[i]})
		}
	}
	return moves
}

// rowsWithout returns the D of factors without some of its steps.
func (a *audit) rowsWithout(f schema.Factors, all, less count) linalg.Dataset {
	d := linalg.Dataset{Dims: f.Dims}
	for i := range f.Counts {
		row := a.rows.of(f.Rows[i])
		if n := at(all, row) - at(less, row); n > 0 {
			d.Rows, d.Counts = append(d.Rows, f.Rows[i]), append(d.Counts, n)
		}
	}
	return d
}

func at(c count, row int) int64 {
	if row < len(c) {
		return c[row]
	}
	return 0
}

// ablationWork bounds the work of factoring D without the steps of each source, for each list of sources: some tenths
// of a second, enough for the printed rows of a D of 200 features.
const ablationWork = 5e8

// countAblations returns the number of sources, from the largest share on, without which D is factored again.
func (a *audit) countAblations(sources int) int {
	if a.directionsFrom() != nil {
		return 0
	}
	d := linalg.DatasetFromFactors(a.factors)
	return int(min(int64(sources), ablationWork/max(factorWork(len(d.Counts), d.CountLive()), 1)))
}

// exactWork is the work up to which a dataset is factored by a run's own algorithm, with the same bits.
const exactWork = 1 << 20

// factorWork estimates the work of factoring a dataset with that many distinct rows and features with an entry in any
// row.
func factorWork(rows, features int) int64 {
	return 4 * int64(features) * int64(features) * int64(min(rows, features))
}

// factorAgain returns Σ and V of a dataset: with the bits of a run if that takes little time or only the first
// directions are wanted, and otherwise to rounding.
func factorAgain(ctx context.Context, how linalg.Factoring, d linalg.Dataset) (schema.Factors, error) {
	if d.Top > 0 || factorWork(len(d.Counts), d.CountLive()) <= exactWork {
		return linalg.Factor(ctx, how, d)
	}
	own := d.Rows
	if how == linalg.Scaled {
		d = d.Scaled()
	}
	f, err := linalg.FactorRounded(ctx, d)
	f.Rows = own
	return f, err
}

// alignSigns gives each singular vector of f the sign of the nearest one of another decomposition. A run makes the
// entry of largest magnitude positive. That is a convention: where two entries are close, a few rows of D reverse the
// vector, and change the rows of V.
func alignSigns(f *schema.Factors, to schema.Factors) {
	for j := range f.Dims {
		if nearestDot(f, to, j) >= 0 {
			continue
		}
		for i := range f.Dims {
			f.V[i*f.Dims+j] = -f.V[i*f.Dims+j]
		}
	}
}

// nearestDot returns the scalar product of singular vector j of f and the nearest one of another decomposition. It
// tries the one of the same rank first, which is usually the nearest.
func nearestDot(f *schema.Factors, to schema.Factors, j int) float64 {
	nearest := 0.0
	if j < to.Dims {
		nearest = dotColumns(f, to, j, j)
	}
	if math.Abs(nearest) > math.Sqrt2/2 {
		return nearest // the product exceeds √½, so no orthogonal vector is nearer
	}
	for other := range to.Dims {
		if c := dotColumns(f, to, j, other); math.Abs(c) > math.Abs(nearest) {
			nearest = c
		}
	}
	return nearest
}

// dotColumns returns the scalar product of singular vectors of two decompositions, over the features for which both
// have a column.
func dotColumns(f *schema.Factors, to schema.Factors, j, other int) (sum float64) {
	for i, at := 0, 0; i < f.Dims; i++ {
		for at < to.Dims && to.FeatureOf(at) < f.FeatureOf(i) {
			at++
		}
		if at < to.Dims && to.FeatureOf(at) == f.FeatureOf(i) {
			sum += f.V[i*f.Dims+j] * to.V[at*to.Dims+other]
		}
	}
	return sum
}

// nearestOf returns the direction nearest to a purpose by its image.
func nearestOf(images [][]float64, own, sigma []float64, passing []bool) Ablation {
	if len(images) == 0 {
		return Ablation{}
	}
	nearest := Ablation{Cosine: -1}
	for j, cosine := range selection.Cosines([][]float64{own}, images)[0] {
		if c := math.Abs(cosine); c > nearest.Cosine+cosineTolerance {
			nearest = Ablation{Cosine: c, J: j + 1, Sigma: sigma[j], Selected: passing[j]}
		}
	}
	return nearest
}

// cosineTolerance is the difference of two cosines that rounding alone explains.
const cosineTolerance = 1e-12
