package why

import (
	"context"
	"errors"
	"math"
	"slices"

	"gonum.org/v1/gonum/mat"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
)

// ablationWork bounds the work of factoring D without the steps of each source, for each list of sources: some tenths
// of a second, enough for the printed rows of a D of 200 features. [Question.AllAblations] lifts the bound.
const ablationWork = 5e8

// countAblations returns the number of sources, from the largest share on, without which D is factored again.
func (a *audit) countAblations(sources int) int {
	switch {
	case a.directionsFrom() != nil:
		return 0
	case a.allAblations:
		return sources
	}
	d := linalg.DatasetFromFactors(a.factors)
	return int(min(int64(sources), ablationWork/max(factorWork(len(d.Counts), len(featuresOf(d))), 1)))
}

// exactWork is the work up to which a dataset is factored by a run's own algorithm, with the same bits.
const exactWork = 1 << 20

// factorWork estimates the work of factoring a dataset with that many distinct rows and features with an entry in any
// row.
func factorWork(rows, features int) int64 {
	return 4 * int64(features) * int64(features) * int64(min(rows, features))
}

// factorAgain returns Σ and V of a dataset: with the bits of a run if that takes little time or only the first
// directions are wanted, and otherwise, to rounding, from the eigenvectors of DᵀD over the features that occur in D.
func factorAgain(ctx context.Context, how linalg.Factoring, d linalg.Dataset) (schema.Factors, error) {
	features := featuresOf(d)
	if d.Top > 0 || factorWork(len(d.Counts), len(features)) <= exactWork {
		return linalg.Factor(ctx, how, d)
	}
	own := d.Rows
	if how == linalg.Scaled {
		d = d.Scaled()
	}
	if err := ctx.Err(); err != nil {
		return schema.Factors{}, err
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(gramOf(d, features), true) {
		return schema.Factors{}, errEigen
	}
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	f := embed(d, features, eigen.Values(nil), &vectors)
	f.Rows = own
	return f, nil
}

var errEigen = errors.New("the eigenvalues of DᵀD were not found")

// featuresOf returns the features in which any row of D differs from 0.
func featuresOf(d linalg.Dataset) (features []int) {
	has := make([]bool, d.Dims)
	for _, row := range d.Rows {
		for _, e := range row {
			has[e.Feature] = true
		}
	}
	for f, yes := range has {
		if yes {
			features = append(features, f)
		}
	}
	return features
}

// gramOf returns DᵀD over some features. Rows of few features cost little.
func gramOf(d linalg.Dataset, features []int) *mat.SymDense {
	n, of := len(features), make([]int, d.Dims)
	for i, f := range features {
		of[f] = i
	}
	sum := make([]float64, n*n)
	for r, row := range d.Rows {
		for _, e := range row {
			x := float64(d.Counts[r]) * e.Value
			for _, g := range row {
				sum[of[e.Feature]*n+of[g.Feature]] += x * g.Value
			}
		}
	}
	return mat.NewSymDense(n, sum)
}

// embed returns the factors of eigenvalues in ascending order and their vectors over some features.
// Other features have σ 0. Like a run's, the entry of largest magnitude of a direction is positive.
func embed(d linalg.Dataset, features []int, values []float64, vectors *mat.Dense) schema.Factors {
	f := schema.Factors{Dims: d.Dims, Rows: d.Rows, Counts: d.Counts, Sigma: make([]float64, d.Dims),
		V: make([]float64, d.Dims*d.Dims), Columns: d.Columns, AllFeatures: d.AllFeatures}
	for _, c := range d.Counts {
		f.Total += c
	}
	last := len(values) - 1
	noise := float64(d.Dims) * 0x1p-52 * max(values[last], 0)
	for j := range values {
		if x := values[last-j]; x > noise {
			f.Sigma[j] = math.Sqrt(x)
		}
		sign, largest := 1.0, 0.0
		for i := range features {
			if x := vectors.At(i, last-j); math.Abs(x) > largest {
				sign, largest = math.Copysign(1, x), math.Abs(x)
			}
		}
		for i, feature := range features {
			f.V[feature*d.Dims+j] = sign * vectors.At(i, last-j)
		}
	}
	rest := len(values)
	for feature := range d.Dims {
		if _, found := slices.BinarySearch(features, feature); !found {
			f.V[feature*d.Dims+rest] = 1
			rest++
		}
	}
	return f
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
