package pod

import "github.com/podtrack/podtrack/schema"

// SelectPurposes returns the signed eigenpurposes with σ > κ, in option order: by j, +
// before −. j counts from 1, the largest σ.
//
// With the basis right-singular, purpose j is row j of Vᵀ (Definition 3.1, and what a
// singular value decomposition means). With rows-of-v it is row j of V = DᵀUΣ⁺, whose
// columns for σ = 0 are zero.
func SelectPurposes(f schema.Factors, basis schema.Basis, kappa float64) []schema.Purpose {
	var purposes []schema.Purpose
	for j := 0; j < f.Dims && f.Sigma[j] > kappa; j++ {
		purposes = append(purposes, signedPurposes(f, basis, j)...)
	}
	return purposes
}

// signedPurposes returns both purposes of direction j, which counts from 0.
func signedPurposes(f schema.Factors, basis schema.Basis, j int) []schema.Purpose {
	plus, minus := make([]float64, f.Dims), make([]float64, f.Dims)
	for i := range plus {
		plus[i] = purposeComponent(f, basis, j, i)
		minus[i] = 0 - plus[i] // never −0
	}
	return []schema.Purpose{
		{J: j + 1, Sign: 1, Sigma: f.Sigma[j], Vector: plus},
		{J: j + 1, Sign: -1, Sigma: f.Sigma[j], Vector: minus},
	}
}

// purposeComponent returns feature i of eigenpurpose j, both from 0.
func purposeComponent(f schema.Factors, basis schema.Basis, j, i int) float64 {
	switch {
	case basis == schema.RightSingular:
		return f.V[i*f.Dims+j]
	case f.Sigma[i] > 0:
		return f.V[j*f.Dims+i]
	}
	return 0
}
