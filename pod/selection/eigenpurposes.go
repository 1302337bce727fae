package selection

import (
	"math"
	"strconv"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/matrix"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// SignedAbove returns the signed eigenpurposes with σ > κ, in option order: by j, + before −. j counts from 1, the
// largest σ. They have no vectors, which together are twice the size of V: [Directions.Signed] computes one of them.
func SignedAbove(spec schema.Spec, f schema.Factors) (purposes []schema.Purpose) {
	for j := 0; j < f.Directions() && f.Sigma[j] > spec.Kappa; j++ {
		purposes = append(purposes, signedPurposes(f, j, schema.BothSigns)...)
	}
	return purposes
}

// directionStream begins the purpose of the random stream of a random direction, which ends with
// its j.
const directionStream = "direction "

// Directions are the directions of an iteration's purposes, before their signs.
type Directions struct {
	f     schema.Factors
	basis schema.Basis
	rms   []float64 // of the features' changes, nil unless D was scaled by them
	ends  []int32   // of the pair of a method that finds one, the highest first; nil for others
	start schema.Start
	ridge float64 // λ of the posterior
	seed  uint64
	k     int
}

// NewDirections returns the directions that iteration k of a spec has in its factors.
//
// With the basis right-singular, direction j is row j of Vᵀ (Definition 3.1, and what a
// singular value decomposition means). With rows-of-v it is row j of V = DᵀUΣ⁺, whose
// columns for σ = 0 are zero. If D was scaled, the direction is scaled back, to length 1. With
// random it is drawn: the factors determine only how many are kept. It is 0 for features that D has
// no column of. With posterior it is drawn from N(0, (DᵀD + λI)⁻¹), and scaled to length 1.
func NewDirections(spec schema.Spec, k int, f schema.Factors) Directions {
	d := Directions{f: f, basis: spec.Basis, ridge: spec.PosteriorRidge(), seed: spec.Seed, k: k,
		start: spec.Initiation}
	if spec.FeatureScale == schema.RMS {
		d.rms = linalg.DatasetFromFactors(f).RootMeanSquares()
	}
	if spec.Method.FindsPair() {
		d.ends = matrix.PairOfEnds(f)
	}
	return d
}

// Vector returns direction j, which counts from 0, as a new slice.
func (d Directions) Vector(j int) []float64 {
	if d.basis == schema.Random || d.basis == schema.Posterior {
		z := IsotropicDirection(d.f.Dims, rng.NewStream(d.seed, d.k, directionStream+strconv.Itoa(j+1)))
		if d.basis == schema.Posterior {
			z = d.scaleToPosterior(z)
		}
		return d.scatter(z)
	}
	v := make([]float64, d.f.Dims)
	for i := range v {
		switch {
		case d.basis == schema.RightSingular:
			v[i] = d.f.V[i*d.f.Directions()+j]
		case d.f.Sigma[i] > 0:
			v[i] = d.f.V[j*d.f.Dims+i] // V is square
		}
	}
	if d.rms != nil {
		linalg.ScaleBack(v, d.rms)
	}
	return d.scatter(v)
}

// scatter returns the entries of D's columns as those of all features.
func (d Directions) scatter(v []float64) []float64 {
	if d.f.Columns == nil {
		return v
	}
	all := make([]float64, d.f.AllFeatures)
	for i, feature := range d.f.Columns {
		all[feature] = v[i]
	}
	return all
}

// Signed returns the purpose of direction j, which counts from 0, and a sign: the direction or its
// opposite or, of a pair of states, what is 1 in the one or the other and 0 elsewhere.
func (d Directions) Signed(j, sign int) []float64 {
	if j == 0 && d.ends != nil {
		v := make([]float64, d.f.Features())
		v[d.end(sign)] = 1
		return v
	}
	v := d.Vector(j)
	if sign < 0 {
		for i, x := range v {
			v[i] = 0 - x // never −0
		}
	}
	return v
}

// end returns the end of the pair to which the purpose of a sign leads.
func (d Directions) end(sign int) int32 {
	if sign > 0 {
		return d.ends[0]
	}
	return d.ends[1]
}

// signedPurposes returns the purposes of direction j, which counts from 0, without vectors: both, or that of one sign.
func signedPurposes(f schema.Factors, j int, sign schema.Sign) (all []schema.Purpose) {
	for _, s := range []int{1, -1} {
		if sign == schema.BothSigns || int(sign) == s {
			all = append(all, schema.Purpose{J: j + 1, Sign: s, Sigma: f.Sigma[j]})
		}
	}
	return all
}

// WithVector returns a purpose with its vector, and its start if it has one: the state in which alone its option may
// start, the other end of its pair.
func (d Directions) WithVector(p schema.Purpose) schema.Purpose {
	p.Vector, p.Start = d.Signed(p.J-1, p.Sign), nil
	if p.J == 1 && d.ends != nil && d.start == schema.StartAtEnds {
		p.Start = new(int(d.end(-p.Sign)))
	}
	return p
}

// WithVectors does so for purposes, in place, and returns them.
func (d Directions) WithVectors(purposes []schema.Purpose) []schema.Purpose {
	for i, p := range purposes {
		purposes[i] = d.WithVector(p)
	}
	return purposes
}

// IsotropicDirection returns a vector of length 1, near to uniform on the sphere: each entry is, before that, the sum
// of twelve uniform numbers, which is about normal. That needs only sums, which have the same bits everywhere.
func IsotropicDirection(dims int, stream *rng.Stream) []float64 {
	const terms, bound = 12, 1 << 32
	v := make([]float64, dims)
	for dims > 0 && linalg.Norm(v) == 0 {
		for i := range v {
			sum := int64(-terms / 2 * (bound - 1))
			for range terms {
				sum += int64(stream.BelowBound(bound))
			}
			v[i] = float64(sum) / bound
		}
	}
	length := linalg.Norm(v)
	for i, x := range v {
		v[i] = x / length
	}
	return v
}

// scaleToPosterior returns a direction of N(0, (DᵀD + λI)⁻¹), at length 1, made of one that is uniform on the
// sphere: its coordinates in the basis of V are divided by √(σ² + λ). Since V (Σ² + λI)^−½ Vᵀ =
// (DᵀD + λI)^−½, it does not depend on the choices that V leaves open, such as its signs and the basis of what D
// never showed.
func (d Directions) scaleToPosterior(z []float64) []float64 {
	n := d.f.Dims
	coordinates, v := make([]float64, n), make([]float64, n)
	for i, x := range z {
		for j, y := range d.f.V[i*n : (i+1)*n] {
			coordinates[j] += float64(x * y)
		}
	}
	for j, sigma := range d.f.Sigma {
		coordinates[j] /= math.Sqrt(float64(sigma*sigma) + d.ridge)
	}
	for i := range v {
		for j, y := range d.f.V[i*n : (i+1)*n] {
			v[i] += float64(coordinates[j] * y)
		}
	}
	length := linalg.Norm(v)
	for i := range v {
		v[i] /= length
	}
	return v
}
