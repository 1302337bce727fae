package schema

// IsExtended reports whether a spec has a field or a value that was added with store format 8.
func (s Spec) IsExtended() bool {
	return s.Basis == Random || s.Select == Select(Below) || s.Method.entry().isNew ||
		s.StateSet != AllStates || s.PsiGamma != 0 || s.FeatureScale != Unscaled ||
		s.Options != KeepOptions || s.OptionProbability != 0 || s.Sides != TwoSided
}

// IsExtendedAgain reports whether a spec has a field or a value that was added with store format 9.
func (s Spec) IsExtendedAgain() bool { return s.Env.HasReward() || s.Initiation != StartAnywhere }

// HasExternalStages reports whether a stage is external, which was added with store format 10.
func (s Spec) HasExternalStages() bool { return s.Stages != nil }

// HasExternalMeasures reports whether an external stage measures, which was added with store format 11.
func (s Spec) HasExternalMeasures() bool { return s.Stages.Of(MeasureStage) != nil }

// ExtendedFields returns the names of the fields that were added with store format 8 or later. Environments of
// runs recorded before may have parameters of these names.
func ExtendedFields() []string {
	return []string{"state_set", "psi_gamma", "feature_scale", "lifetime", "option_probability", "sides",
		"initiation", "collect", "measure"}
}
