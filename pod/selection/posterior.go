package selection

import (
	"math"

	"github.com/podtrack/podtrack/pod/linalg"
)

// scaleToPosterior returns a direction of N(0, (DᵀD + λI)⁻¹), at length 1, made of one that is uniform on the sphere:
// its coordinates in the basis of V are divided by √(σ² + λ). Since V (Σ² + λI)^−½ Vᵀ = (DᵀD + λI)^−½,
// it does not depend on the choices that V leaves open, such as its signs and the basis of what D never showed.
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
