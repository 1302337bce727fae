package explore

// Summary describes how a run explored. States is nil if their number is unknown: in an environment that is only
// observed, or for imported rows.
type Summary struct {
	States  *int64 `json:"states"`  // reachable from where the run began
	Covered *int64 `json:"covered"` // states visited; nil for imported rows
	Steps   int64  `json:"steps"`

	// Steps until that share of the states had been visited, nil if it was not, or if the number of states is unknown.
	StepsToQuarter *int64 `json:"steps_to_quarter"`
	StepsToHalf    *int64 `json:"steps_to_half"`
	StepsToAll     *int64 `json:"steps_to_all"`

	Iterations []Iteration  `json:"iterations"`
	First      []FirstVisit `json:"-"` // of each state that was visited, in order

	HasOptions bool  `json:"-"` // whether the options were read
	Pruned     error `json:"-"` // the first [tracker.ErrPruned] of an option, nil if there was none
}

// Iteration describes how a run explored in iteration K, and how diverse the iteration's options are.
type Iteration struct {
	K                 int      `json:"k"`
	Steps             int64    `json:"steps"`              // of the run, up to its end
	Covered           *int64   `json:"covered"`            // distinct states visited, in earlier iterations too
	CoveredShare      *float64 `json:"covered_share"`      // of the states that can be reached
	NewStates         *int64   `json:"new_states"`         // first visited in it
	Entropy           *float64 `json:"entropy"`            // of its visits, in bits
	EntropyNormalised *float64 `json:"entropy_normalised"` // divided by log₂ of the states that can be reached

	Options       *Diversity `json:"options"`                  // nil if it made none, or if they are pruned
	OptionsPruned bool       `json:"options_pruned,omitempty"` // some of its options are pruned
}

// StepsTo returns the steps until that many states had been visited, nil if they never were. The first state is visited
// before the first step.
func (s *Summary) StepsTo(states int64) *int64 {
	if states < 1 || states > int64(len(s.First)) {
		return nil
	}
	return &s.First[states-1].Steps
}

// setStates sets the number of states and what follows from it.
func (s *Summary) setStates(states int64) {
	s.States = &states
	s.StepsToQuarter, s.StepsToHalf, s.StepsToAll = s.StepsTo((states+3)/4), s.StepsTo((states+1)/2), s.StepsTo(states)
	for i := range s.Iterations {
		it := &s.Iterations[i]
		covered := share(*it.Covered, states)
		it.CoveredShare = &covered
		if states > 1 {
			normalised := *it.Entropy / log2(float64(states))
			it.EntropyNormalised = &normalised
		}
	}
}
