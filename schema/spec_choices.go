package schema

import (
	"cmp"
	"strconv"
)

// A Basis selects the vectors that are the eigenpurposes.
type Basis string

// A Dataset selects the transitions that D contains.
type Dataset string

// A StateSet selects the states that the matrix of a method on states is over.
type StateSet string

// A FeatureScale is the divisor of each column of D.
type FeatureScale string

// A Start restricts the states in which an option can start.
type Start string

// Sides selects the signs of a direction that become purposes.
type Sides string

// A PsiPart is the part of a successor representation that is factored.
type PsiPart string

// Restart selects the iterations that begin in the environment's first state.
type Restart string

// The values of the choices.
const (
	AllStates     StateSet = ""        // of the environment
	VisitedStates StateSet = "visited" // in which a transition of D begins or ends

	RightSingular Basis   = "right-singular" // rows of Vᵀ, as in Definition 3.1
	RowsOfV       Basis   = "rows-of-v"      // rows of V = DᵀUΣ⁺
	Random        Basis   = "random"         // drawn, as many as σ would keep
	Posterior     Basis   = "posterior"      // drawn, as many as features, from N(0, (DᵀD + λI)⁻¹)
	PerIteration  Dataset = "iteration"      // D emptied, as in Algorithm 1
	Cumulative    Dataset = "cumulative"     // D kept

	Unscaled FeatureScale = ""    // by nothing
	RMS      FeatureScale = "rms" // each by its root mean square

	StartAnywhere Start = ""         // in every state in which some action is worth more than the tolerance
	StartObserved Start = "observed" // in those of them from which, by the observed transitions, the option terminates
	StartAtEnds   Start = "ends"     // in the other end of the pair alone

	TwoSided Sides = ""    // both
	OneSided Sides = "one" // the one that leads away from where the agent often was in the iteration

	PublishedSides Sides = "published" // the one whose entries add up to less than 0

	WholePsi      PsiPart = ""          // Ψ
	SymmetricPart PsiPart = "symmetric" // (Ψ + Ψᵀ)/2

	NeverRestart  Restart = ""          // the first alone
	EachIteration Restart = "iteration" // all
)

// DefaultRidge is λ of the basis [Posterior], unless a spec says otherwise.
const DefaultRidge = 0.01

// PosteriorRidge returns λ of the basis [Posterior].
func (s Spec) PosteriorRidge() float64 { return cmp.Or(s.Ridge, DefaultRidge) }

// setRidge sets λ from text. 0, which a spec has for the default, is none.
func (s *Spec) setRidge(text string) (err error) {
	if s.Ridge, err = strconv.ParseFloat(text, 64); s.Ridge == 0 {
		err = strconv.ErrRange
	}
	return err
}

// checkBasis returns [ErrSpec] if the basis goes with none of the spec's other fields.
func (s *Spec) checkBasis() error {
	switch posterior := s.Basis == Posterior; {
	case posterior && s.Select != Every:
		return Invalid("select", string(s.Select), "use %s with basis %s, which draws as many directions as there are "+
			"features", Every, Posterior)
	case posterior && (s.Method != "" || s.FeatureScale != Unscaled):
		return Invalid("basis", string(s.Basis), "use method %s and no feature_scale: it is about D as it is", POD)
	}
	return nil
}

// ChoosesSigns reports whether each direction gives the purpose of one sign.
func (s Spec) ChoosesSigns() bool { return s.Sides != TwoSided }

// RecordsSelection reports whether the spec's selections are recorded: those of the first version's rule
// are not, as the factors and κ determine them, unless they choose signs.
func (s Spec) RecordsSelection() bool { return s.Select != Threshold || s.ChoosesSigns() }

// Unsigned returns the first purpose of each direction. The purposes are in option order.
func Unsigned(purposes []Purpose) (first []Purpose) {
	for i, p := range purposes {
		if i == 0 || p.J != purposes[i-1].J {
			first = append(first, p)
		}
	}
	return first
}
