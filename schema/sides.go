package schema

// bothSides is the text of a spec whose directions give two purposes each.
const bothSides = "two"

// validateSides does the part of [Spec.Validate] that concerns the signs of purposes.
func (s *Spec) validateSides() error {
	if s.Sides == bothSides {
		s.Sides = TwoSided
	}
	if s.Sides != TwoSided && s.Sides != OneSided {
		return invalid("sides", string(s.Sides), "use %s or %s", bothSides, OneSided)
	}
	return nil
}

// RecordsSelection reports whether the spec's selections are recorded: those of the first version's rule
// are not, as the factors and κ determine them, unless they choose signs.
func (s Spec) RecordsSelection() bool { return s.Select.HasRecord() || s.Sides == OneSided }

// Unsigned returns the first purpose of each direction, of purposes in option order.
func Unsigned(purposes []Purpose) (first []Purpose) {
	for i, p := range purposes {
		if i == 0 || p.J != purposes[i-1].J {
			first = append(first, p)
		}
	}
	return first
}
