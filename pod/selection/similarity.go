package selection

import (
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// Similarity compares purposes by the rewards that they give. M is the sum of δδᵀ over
// transitions δ, so that eᵀMe is the sum of squared rewards, and cos_M is the cosine
// similarity of the two reward functions over all transitions.
type Similarity struct {
	dims      int
	root      [][]float64        // rank×dims, M = rootᵀ root
	sparse    []schema.SparseRow // root's rows, nil unless most of their entries are 0
	minLength float64            // images of unit vectors that are no longer than this are rounding
}

// NewModelSimilarity returns the similarity over all transitions of the environment's
// model, one for each state and action.
func NewModelSimilarity(env envs.SimulatedEnv) *Similarity {
	return newSimilarity(len(env.Features()), func(add func(row []float64, n int64)) {
		row, classes := make([]float64, len(env.Features())), envs.RowClassesOf(env)
		for class, n := range countRowClasses(env.Model(), classes) {
			if n > 0 {
				classes.RowDifference(class, row)
				add(row, n)
			}
		}
	})
}

// countRowClasses counts the transitions of a model by row class.
func countRowClasses(m *envs.Model, classes envs.RowClasses) []int64 {
	counts := make([]int64, classes.RowClasses())
	for s := range m.States {
		for a := range m.Actions {
			counts[classes.RowClass(s, a)]++
		}
	}
	return counts
}

// NewDataSimilarity returns the similarity over the rows of datasets, all of dims
// features, for environments without a model.
func NewDataSimilarity(dims int, data ...linalg.Dataset) *Similarity {
	largest := 0.0
	for _, d := range data {
		largest = max(largest, linalg.LargestOf(d.Rows))
	}
	return newSimilarity(dims, func(add func(row []float64, n int64)) {
		row := make([]float64, dims)
		for _, d := range data {
			for i, n := range d.Counts {
				clear(row)
				for _, e := range d.Rows[i] {
					row[e.Feature] = divideBy(e.Value, largest)
				}
				add(row, n)
			}
		}
	})
}

func newSimilarity(dims int, each func(add func(row []float64, n int64))) *Similarity {
	sum := make([][]float64, dims)
	for i := range sum {
		sum[i] = make([]float64, dims)
	}
	seen := make([]int, 0, dims) // features that a row has
	each(func(row []float64, n int64) {
		seen = seen[:0]
		for i, x := range row {
			if x != 0 {
				seen = append(seen, i)
			}
		}
		for _, i := range seen {
			scaled := float64(float64(n) * row[i])
			for _, j := range seen {
				sum[i][j] += float64(scaled * row[j])
			}
		}
	})
	s := &Similarity{dims: dims, root: linalg.FactorCholesky(sum)}
	for _, row := range s.root {
		s.minLength = max(s.minLength, float64(relativeNoise*linalg.Norm(row)))
	}
	if isMostlyZero(s.root) {
		s.sparse = make([]schema.SparseRow, len(s.root))
		for r, row := range s.root {
			s.sparse[r] = schema.NewSparseRow(row)
		}
	}
	return s
}

// isMostlyZero reports whether so many entries are 0 that leaving them out is faster.
func isMostlyZero(rows [][]float64) bool {
	all, filled := 0, 0
	for _, row := range rows {
		all += len(row)
		for _, x := range row {
			if x != 0 {
				filled++
			}
		}
	}
	return 4*filled < all
}

// relativeNoise is the share of a vector's length that rounding alone can cause.
const relativeNoise = 1e-12

// Dims returns the number of features.
func (s *Similarity) Dims() int { return s.dims }

// Root returns the root of M, rank×dims: M = rootᵀ root.
func (s *Similarity) Root() [][]float64 { return s.root }

// Image returns the vector in coordinates in which cos_M is the ordinary cosine, scaled to
// length 1, or all zero if it rewards no transition.
func (s *Similarity) Image(e []float64) []float64 {
	largest := maxAbs(e)
	scaled := make([]float64, len(e))
	for i, x := range e {
		scaled[i] = divideBy(x, largest)
	}
	x := s.multiplyRoot(scaled)
	length := linalg.Norm(x)
	if length <= float64(s.minLength*linalg.Norm(scaled)) {
		return make([]float64, len(s.root))
	}
	for r := range x {
		x[r] /= length
	}
	return x
}

// multiplyRoot returns root·v. Leaving zeros out changes no bit: the sums begin with +0, and are never −0.
func (s *Similarity) multiplyRoot(v []float64) []float64 {
	x := make([]float64, len(s.root))
	if s.sparse == nil {
		linalg.MultiplyRows(s.root, 0, v, x)
		return x
	}
	for r, row := range s.sparse {
		sum := 0.0
		for _, e := range row {
			sum += float64(v[e.Feature] * e.Value)
		}
		x[r] = sum
	}
	return x
}

// Cos returns cos_M of two vectors.
func (s *Similarity) Cos(e, f []float64) float64 { return computeCosine(s.Image(e), s.Image(f)) }

// computeCosine returns the cosine of two images. Two vectors that reward no transition have
// cosine 1, as both reward nothing, and such a vector has cosine 0 with all others.
func computeCosine(x, y []float64) float64 {
	if isZero(x) && isZero(y) {
		return 1
	}
	return SnapCosine(linalg.Dot(x, y))
}

// Cosines returns the cosine of each image of a with each of b, in less time than one by one.
func Cosines(a, b [][]float64) [][]float64 {
	zeros := make([]bool, len(b))
	for j, y := range b {
		zeros[j] = isZero(y)
	}
	all := linalg.Products(a, b)
	for i, x := range a {
		zero := isZero(x)
		for j, cosine := range all[i] {
			all[i][j] = SnapCosine(cosine)
			if zero && zeros[j] {
				all[i][j] = 1
			}
		}
	}
	return all
}

func isZero(x []float64) bool {
	return !slices.ContainsFunc(x, func(entry float64) bool { return entry != 0 })
}

// cosineSlack bounds the difference from 1 that rounding causes in the cosine of two equal directions.
const cosineSlack = 1e-13

// SnapCosine returns ±1 for a cosine that is ±1 but for rounding, and otherwise the cosine
// itself, so that a purpose compared with itself meets every limit.
func SnapCosine(cosine float64) float64 {
	if math.Abs(cosine) > 1-cosineSlack {
		return math.Copysign(1, cosine)
	}
	return cosine
}

// maxAbs returns the largest magnitude among xs.
func maxAbs(xs []float64) float64 {
	most := 0.0
	for _, x := range xs {
		most = max(most, math.Abs(x))
	}
	return most
}

// divideBy returns x / largest, or x if largest is 0. Purposes have no scale, and recorded numbers of any size must not
// overflow.
func divideBy(x, largest float64) float64 {
	if largest == 0 {
		return x
	}
	return x / largest
}

// nearestImage returns the index of the image with the largest cosine to x, the first one
// on ties, and that cosine; [schema.NoOption] and 0 if there are none.
func nearestImage(x []float64, images [][]float64) (at int, cosine float64) {
	at = schema.NoOption
	for i, y := range images {
		if c := computeCosine(x, y); at < 0 || c > cosine {
			at, cosine = i, c
		}
	}
	return at, cosine
}

// NewStateSimilarity returns the similarity of purposes over states, restricted to some of them where
// all others are 0: dims coordinates. each calls add for each transition with the coordinates of the
// state and the next state, −1 for one that has none, and how often the transition counts. The cosines
// are those over all states, since a purpose has no part in the others.
func NewStateSimilarity(dims int, each func(add func(from, to int, n int64))) *Similarity {
	return newSimilarity(dims, func(addRow func(row []float64, n int64)) {
		row := make([]float64, dims)
		each(func(from, to int, n int64) {
			if from == to {
				return // no reward, or outside
			}
			if from >= 0 {
				row[from] = -1
			}
			if to >= 0 {
				row[to] = 1
			}
			addRow(row, n)
			for _, at := range []int{from, to} {
				if at >= 0 {
					row[at] = 0
				}
			}
		})
	})
}

// VisitModelEdges calls visit for each state and action of a simulated environment, with the state
// that it leads to where nothing slips.
func VisitModelEdges(env envs.SimulatedEnv, visit func(s, next int)) {
	for s := range env.States() {
		for a := range env.Actions() {
			visit(s, env.Step(s, a))
		}
	}
}
