package why

import (
	"context"
	"math"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
)

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
