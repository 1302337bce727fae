package diff

import (
	"crypto/sha256"
	"encoding/binary"
	"math"
	"sync"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// Metric measures purposes by the rewards that they give: eᵀMe is the sum of the
// squared rewards δᵀe over the transitions δ that M was made of.
type Metric struct {
	root   [][]float64 // rank×d, M = rootᵀ root
	least  float64     // length of the image of a unit vector that is no more than rounding
	pooled bool        // of recorded rows, not of a model
	dims   int         // features
	levels *sync.Map   // of sizes to their [Chance], shared by metrics of the same M
}

// ModelMetric is the metric over all transitions of the environment's model, one
// a state and action.
func ModelMetric(env pod.Env) *Metric {
	m := env.Model()
	counts := make([]int64, env.Rows())
	for s := range m.States {
		for a := range m.Actions {
			counts[env.Row(s, a)]++
		}
	}
	d := len(env.Features())
	sum, row := mat.NewSymDense(d, nil), make([]float64, d)
	for class, n := range counts {
		if n > 0 {
			env.Difference(class, row)
			sum.SymRankOne(sum, float64(n), mat.NewVecDense(d, row))
		}
	}
	return newMetric(sum)
}

// PooledMetric is the metric over the rows of recorded datasets, for runs
// without a model. All have dims features.
func PooledMetric(dims int, data ...schema.Factors) *Metric {
	var rows []float64
	for _, f := range data {
		rows = append(rows, f.Rows...)
	}
	rows = scaled(rows)
	sum := mat.NewSymDense(dims, nil)
	for _, f := range data {
		for _, n := range f.Counts {
			sum.SymRankOne(sum, float64(n), mat.NewVecDense(dims, rows[:dims]))
			rows = rows[dims:]
		}
	}
	m := newMetric(sum)
	m.pooled = true
	return m
}

// newMetric takes the root of a positive semi-definite M by the Cholesky
// factorisation with pivots: PᵀMP = UᵀU.
func newMetric(sum *mat.SymDense) *Metric {
	var c mat.PivotedCholesky
	c.Factorize(sum, -1) // false says that M has not full rank, which is no failure
	d := sum.SymmetricDim()
	pivots, u := c.ColumnPivots(nil), c.RawU()
	m := &Metric{dims: d}
	for r := range c.Rank() {
		row := make([]float64, d)
		for col := r; col < d; col++ {
			row[pivots[col]] = u.At(r, col)
		}
		m.root = append(m.root, row)
		m.least = max(m.least, unseen*floats.Norm(row, 2))
	}
	m.levels = levelsOf(m.root)
	return m
}

var levels sync.Map // by the SHA-256 of M's root

// levelsOf is where the levels of chance are kept that metrics with this root have.
func levelsOf(root [][]float64) *sync.Map {
	h := sha256.New()
	for _, row := range root {
		for _, x := range row {
			_ = binary.Write(h, binary.LittleEndian, x) // a hash takes all
		}
	}
	kept, _ := levels.LoadOrStore([sha256.Size]byte(h.Sum(nil)), &sync.Map{})
	return kept.(*sync.Map)
}

// unseen is the part of a vector's length that rounding alone can make.
const unseen = 1e-12

// Rank is the number of dimensions in which transitions differ.
func (m *Metric) Rank() int { return len(m.root) }

// image is the vector in coordinates in which cos_M is the ordinary cosine,
// of length 1, or all zero where no transition shows anything of it.
func (m *Metric) image(e []float64) []float64 {
	e = scaled(e)
	x := make([]float64, len(m.root))
	for r, row := range m.root {
		x[r] = floats.Dot(row, e)
	}
	length := floats.Norm(x, 2)
	if length <= m.least*floats.Norm(e, 2) {
		return make([]float64, len(m.root))
	}
	floats.Scale(1/length, x)
	return x
}

// scaled is the vector with its largest entry made ±1. Scale means nothing here,
// and recorded numbers of any size must not overflow.
func scaled(e []float64) []float64 {
	if len(e) == 0 {
		return e
	}
	largest := max(floats.Max(e), -floats.Min(e))
	if largest == 0 {
		return e
	}
	x := make([]float64, len(e))
	for i, v := range e {
		x[i] = v / largest
	}
	return x
}

// Cos is cos_M of two vectors. One that no transition shows has the cosine 1
// with another such, as both reward nothing, and 0 with all others.
func (m *Metric) Cos(e, f []float64) float64 { return cosine(m.image(e), m.image(f)) }

// cosine is that of two images.
func cosine(x, y []float64) float64 {
	if isZero(x) && isZero(y) {
		return 1
	}
	return exact(floats.Dot(x, y))
}

// rounded is how far rounding takes the cosine of two directions that are the
// same from 1.
const rounded = 1e-13

// exact gives a cosine that is 1 but for rounding as 1, so that a purpose reaches
// every limit when it is compared with itself.
func exact(cosine float64) float64 {
	if math.Abs(cosine) > 1-rounded {
		return math.Copysign(1, cosine)
	}
	return cosine
}

func isZero(x []float64) bool {
	for _, v := range x {
		if v != 0 {
			return false
		}
	}
	return true
}
