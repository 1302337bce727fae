package selection

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// Similarity compares purposes by the rewards that they give. M is the sum of δδᵀ over
// transitions δ, so that eᵀMe is the sum of squared rewards, and cos_M is the cosine
// similarity of the two reward functions over all transitions.
//
// M = RᵀR for a root R. If every transition is an edge between two features, as where features are states, R has a row
// for each edge, so that time and memory grow with their number. Otherwise R is the Cholesky factor of M.
type Similarity struct {
	dims, rank int
	rows       []schema.SparseRow // of R
	minLength  float64            // images of unit vectors that are no longer than this are rounding
}

// NewSimilarity returns the similarity over transitions between states of so many features. The error is that of ctx.
func NewSimilarity(ctx context.Context, dims int, transitions Transitions) (*Similarity, error) {
	edges := &edgeRoot{}
	if transitions(edges.add); edges.others {
		return newFactoredSimilarity(ctx, dims, transitions)
	}
	return edges.similarity(dims), ctx.Err()
}

// newFactoredSimilarity returns the similarity by the Cholesky factor of M.
func newFactoredSimilarity(ctx context.Context, dims int, transitions Transitions) (*Similarity, error) {
	sum := linalg.NewSquare(dims)
	transitions(func(row schema.SparseRow, n int64) {
		for _, x := range row {
			scaled := float64(float64(n) * x.Value)
			for _, y := range row {
				sum[x.Feature][y.Feature] += float64(scaled * y.Value)
			}
		}
	})
	root, err := linalg.FactorCholesky(ctx, sum)
	if err != nil {
		return nil, err
	}
	s := &Similarity{dims: dims, rank: len(root)}
	for _, row := range root {
		s.minLength = max(s.minLength, float64(relativeNoise*linalg.Norm(row)))
		s.rows = append(s.rows, schema.NewSparseRow(row))
	}
	return s, nil
}

// relativeNoise is the share of a vector's length that rounding alone can cause.
const relativeNoise = 1e-12

// Dims returns the number of features.
func (s *Similarity) Dims() int { return s.dims }

// Rank returns the rank of M: the number of dimensions in which transitions differ.
func (s *Similarity) Rank() int { return s.rank }

// Coordinates returns the length of images.
func (s *Similarity) Coordinates() int { return len(s.rows) }

// Digest returns the SHA-256 of the number of features and of R, by the entries of its rows.
func (s *Similarity) Digest() [sha256.Size]byte {
	h := sha256.New()
	h.Write(binary.LittleEndian.AppendUint64(nil, uint64(s.dims)))
	for _, row := range s.rows {
		bytes := binary.LittleEndian.AppendUint64(nil, uint64(len(row)))
		for _, e := range row {
			bytes = binary.LittleEndian.AppendUint32(bytes, uint32(e.Feature))
			bytes = binary.LittleEndian.AppendUint64(bytes, math.Float64bits(e.Value))
		}
		h.Write(bytes)
	}
	return [sha256.Size]byte(h.Sum(nil))
}

// Restrict returns the similarity of vectors that are 0 in all but some features, by their entries in these. Images
// lack coordinates that are 0 in all of them, so that cosines have the same bits.
func (s *Similarity) Restrict(features []int) *Similarity {
	r := &Similarity{dims: len(features), rank: s.rank, minLength: s.minLength}
	place := make([]int32, s.dims) // of a feature, from 1 on; 0 for those that are left out
	for i, feature := range features {
		place[feature] = int32(i + 1)
	}
	for _, row := range s.rows {
		var kept schema.SparseRow
		for _, e := range row {
			if at := place[e.Feature]; at > 0 {
				kept = append(kept, schema.RowEntry{Feature: at - 1, Value: e.Value})
			}
		}
		if len(kept) > 0 {
			r.rows = append(r.rows, kept)
		}
	}
	return r
}

// Image returns the vector in coordinates in which cos_M is the ordinary cosine, scaled to
// length 1, or all zero if it rewards no transition.
func (s *Similarity) Image(e []float64) []float64 {
	largest := linalg.LargestMagnitude(e)
	scaled := make([]float64, len(e))
	for i, x := range e {
		scaled[i] = divideBy(x, largest)
	}
	x := s.multiplyRoot(scaled)
	length := linalg.Norm(x)
	if length <= float64(s.minLength*linalg.Norm(scaled)) {
		return make([]float64, len(x))
	}
	for r := range x {
		x[r] /= length
	}
	return x
}

// multiplyRoot returns R·v. Leaving zeros out changes no bit: the sums begin with +0, and are never −0.
func (s *Similarity) multiplyRoot(v []float64) []float64 {
	x := make([]float64, s.Coordinates())
	for r, row := range s.rows {
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
