package schema

// anyStart is the text of a spec whose options can start in states that were never observed.
const anyStart = "any"

// validateInitiation does the part of [Spec.Validate] that concerns where options can start.
func (s *Spec) validateInitiation() error {
	if s.Initiation == anyStart {
		s.Initiation = StartAnywhere
	}
	switch start := string(s.Initiation); {
	case s.Initiation == StartAnywhere:
		return nil
	case s.Initiation != StartObserved:
		return invalid("initiation", start, "use %s or %s", anyStart, StartObserved)
	case !s.IsLinear():
		return invalid("initiation", start, "use %s with learner %s, whose options are about states that it knows; or "+
			"learner %s or %s", anyStart, s.Learner, LSPI, QLearning)
	}
	return nil
}
