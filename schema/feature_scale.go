package schema

// noScale is the text of a spec whose D is not scaled.
const noScale = "none"

// validateFeatureScale does the part of [Spec.Validate] that concerns the scale of features.
func (s *Spec) validateFeatureScale() error {
	if s.FeatureScale == noScale {
		s.FeatureScale = Unscaled
	}
	switch scale := string(s.FeatureScale); {
	case s.FeatureScale == Unscaled:
		return nil
	case s.FeatureScale != RMS:
		return invalid("feature_scale", scale, "use %s or %s", noScale, RMS)
	case s.Method != "":
		return invalid("feature_scale", scale,
			"use %s with method %s, whose matrix is not D, or method %s", noScale, s.Method, POD)
	}
	return nil
}
