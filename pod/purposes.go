package pod

import "github.com/podtrack/podtrack/schema"

// Select is the signed eigenpurposes with σ > κ, in option order: by j, + before
// −. j counts from 1, the largest σ.
//
// With the basis right-singular, purpose j is row j of Vᵀ (Definition 3.1 and
// what a singular value decomposition means). With rows-of-v it is row j of
// V = DᵀUΣ⁺, whose columns of σ = 0 are zero.
func Select(f schema.Factors, basis schema.Basis, kappa float64) []schema.Purpose {
	var purposes []schema.Purpose
	for j := 0; j < f.Dims && f.Sigma[j] > kappa; j++ {
		plus, minus := make([]float64, f.Dims), make([]float64, f.Dims)
		for i := range plus {
			plus[i] = component(f, basis, j, i)
			minus[i] = 0 - plus[i] // never −0
		}
		purposes = append(purposes,
			schema.Purpose{J: j + 1, Sign: 1, Sigma: f.Sigma[j], Vector: plus},
			schema.Purpose{J: j + 1, Sign: -1, Sigma: f.Sigma[j], Vector: minus})
	}
	return purposes
}

// component is feature i of eigenpurpose j, both from 0.
func component(f schema.Factors, basis schema.Basis, j, i int) float64 {
	switch {
	case basis == schema.RightSingular:
		return f.V[i*f.Dims+j]
	case f.Sigma[i] > 0:
		return f.V[j*f.Dims+i]
	}
	return 0
}
