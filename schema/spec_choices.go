package schema

// A Basis selects the vectors that are the eigenpurposes.
type Basis string

// A Dataset selects the transitions that D contains.
type Dataset string

// A StateSet selects the states that the matrix of a method on states is over.
type StateSet string

// A FeatureScale is the divisor of each column of D.
type FeatureScale string

// A Start restricts the states in which an option of an approximate learner can start.
type Start string

// Sides selects the signs of a direction that become purposes.
type Sides string

// The values of the choices.
const (
	AllStates     StateSet = ""        // of the environment
	VisitedStates StateSet = "visited" // in which a transition of D begins or ends

	RightSingular Basis   = "right-singular" // rows of Vᵀ, as in Definition 3.1
	RowsOfV       Basis   = "rows-of-v"      // rows of V = DᵀUΣ⁺
	Random        Basis   = "random"         // drawn, as many as σ would keep
	PerIteration  Dataset = "iteration"      // D emptied, as in Algorithm 1
	Cumulative    Dataset = "cumulative"     // D kept

	Unscaled FeatureScale = ""    // by nothing
	RMS      FeatureScale = "rms" // each by its root mean square

	StartAnywhere Start = ""         // in every state in which some action is worth more than the tolerance
	StartObserved Start = "observed" // in those of them from which, by the observed transitions, the option terminates

	TwoSided Sides = ""    // both
	OneSided Sides = "one" // the one that leads away from where the agent often was
)

// noScale is the text of a spec whose D is not scaled.
const noScale = "none"

// validateFeatureScale does the part of [Spec.Validate] that concerns the scale of features.
func (s *Spec) validateFeatureScale() error {
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

// anyStart is the text of a spec whose options can start in states that were never observed.
const anyStart = "any"

// validateInitiation does the part of [Spec.Validate] that concerns where options can start.
func (s *Spec) validateInitiation() error {
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

// bothSides is the text of a spec whose directions give two purposes each.
const bothSides = "two"

// validateSides does the part of [Spec.Validate] that concerns the signs of purposes.
func (s *Spec) validateSides() error {
	if s.Sides != TwoSided && s.Sides != OneSided {
		return invalid("sides", string(s.Sides), "use %s or %s", bothSides, OneSided)
	}
	return nil
}

// RecordsSelection reports whether the spec's selections are recorded: those of the first version's rule
// are not, as the factors and κ determine them, unless they choose signs.
func (s Spec) RecordsSelection() bool { return s.Select.HasRecord() || s.Sides == OneSided }

// Unsigned returns the first purpose of each direction. The purposes are in option order.
func Unsigned(purposes []Purpose) (first []Purpose) {
	for i, p := range purposes {
		if i == 0 || p.J != purposes[i-1].J {
			first = append(first, p)
		}
	}
	return first
}
