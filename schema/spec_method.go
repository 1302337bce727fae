package schema

import "cmp"

// allStates is the text of a spec whose method is on all states.
const allStates = "all"

// validateMethod does the part of [Spec.Validate] that concerns the method.
func (s *Spec) validateMethod() error {
	entry, err := Methods.Find(string(cmp.Or(s.Method, POD)))
	if err != nil {
		return err
	}
	if s.StateSet == allStates {
		s.StateSet = AllStates
	}
	s.PsiGamma += 0 // −0 + 0 = 0
	if s.PsiGamma == s.Gamma {
		s.PsiGamma = 0
	}
	switch set := string(s.StateSet); {
	case s.StateSet != AllStates && s.StateSet != VisitedStates:
		return invalid("state_set", set, "use %s or %s", allStates, VisitedStates)
	case s.StateSet != AllStates && !entry.onStates:
		return invalid("state_set", set, "use %s with method %s, whose matrix is not over states", allStates,
			cmp.Or(s.Method, POD))
	case s.PsiGamma != 0 && !entry.hasDiscount:
		return invalid("psi_gamma", formatFloat(s.PsiGamma), "use 0 with method %s, which has no discount; methods %s "+
			"and %s have one", cmp.Or(s.Method, POD), Successor, SuccessorFeatures)
	case !(s.PsiGamma >= 0 && s.PsiGamma <= maxGamma):
		return invalid("psi_gamma", formatFloat(s.PsiGamma), "use a number from 0, for that of the options, to under 1")
	case s.Method == Covering && s.Select != coveringSelect:
		return invalid("select", string(s.Select), "use %s with method %s, which discovers one pair of states",
			coveringSelect, s.Method)
	case s.Method == Covering && s.Basis != RightSingular:
		return invalid("basis", string(s.Basis), "use %s with method %s", RightSingular, s.Method)
	}
	return nil
}

// coveringSelect is the only selection with method covering.
const coveringSelect = Select("top=1")

// SuccessorGamma returns the discount of a successor representation.
func (s Spec) SuccessorGamma() float64 { return cmp.Or(s.PsiGamma, s.Gamma) }
