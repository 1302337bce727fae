package schema

// IsOnStates reports whether a method's purposes are over states.
func (m Method) IsOnStates() bool { return m.entry().onStates }

// HasMatrix reports whether a method factors a matrix of its own rather than D, the rows of the transitions.
func (m Method) HasMatrix() bool { return m != "" && m != POD && m != ExternalMethod }

// HasDiscount reports whether a method's matrix depends on a discount, [Spec.SuccessorGamma].
func (m Method) HasDiscount() bool { return m.entry().hasDiscount }

// Lambda returns the eigenvalue of the normalised Laplacian for a singular value σ, which
// is one of 2I − L. It returns nil for other methods.
func (m Method) Lambda(sigma float64) *float64 {
	e := m.entry()
	if e.lambda == nil {
		return nil
	}
	lambda := e.lambda(sigma)
	return &lambda
}

// entry returns what is registered of m, the zero value if nothing is, or for [POD] by its empty
// name.
func (m Method) entry() MethodEntry {
	e, _, _ := Methods.Newest(string(m))
	return e
}
