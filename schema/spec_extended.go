package schema

// IsExtended reports whether a spec has a field or a value that was added with store format 8.
func (s Spec) IsExtended() bool {
	return s.Basis == Random || s.Select == Select(Below) || s.Method.entry().isNew ||
		s.StateSet != AllStates || s.PsiGamma != 0 || s.FeatureScale != Unscaled ||
		s.Options != KeepOptions || s.OptionProbability != 0 || s.Sides != TwoSided
}
