package schema

// Lambda returns the eigenvalue of the normalised Laplacian for a singular value σ, which
// is one of 2I − L. It returns nil for other methods.
func (m Method) Lambda(sigma float64) *float64 {
	e, _, _ := Methods.Newest(string(m))
	if e.lambda == nil {
		return nil
	}
	lambda := e.lambda(sigma)
	return &lambda
}
