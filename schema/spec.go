package schema

// Spec is everything that decides the outcome of a run, and nothing else. It does not
// contain the number of iterations: a run is the infinite sequence that its spec
// determines, and its target can be raised.
type Spec struct {
	Numerics  uint64  `cbor:"numerics" json:"numerics"`
	Env       Env     `cbor:"env" json:"env"`
	Seed      uint64  `cbor:"seed" json:"seed"`
	Steps     int64   `cbor:"steps" json:"steps"`         // n_R, steps an iteration
	Kappa     float64 `cbor:"kappa" json:"kappa"`         // noise threshold on σ
	Gamma     float64 `cbor:"gamma" json:"gamma"`         // discount of the eigenbehaviours
	Sweeps    int64   `cbor:"sweeps" json:"sweeps"`       // most sweeps, or rounds of another learner; 0 for none
	Tolerance float64 `cbor:"tolerance" json:"tolerance"` // up to which values count as 0
	Basis     Basis   `cbor:"basis" json:"basis"`
	Dataset   Dataset `cbor:"dataset" json:"dataset"`
	Select    Select  `cbor:"select" json:"select"`
	Learner   Learner `cbor:"learner" json:"learner"`

	// Data is the [DataDigest] of the records imported as iteration 0, zero if none are.
	Data Digest `cbor:"data,omitzero" json:"data,omitzero"`

	// Method is the matrix whose directions are the purposes, empty for [POD].
	Method Method `cbor:"method,omitempty" json:"method,omitempty"`

	// MaxOptionSteps is the number of steps after which an option call is truncated, if
	// the learner does not prove that options terminate; 0 if it does.
	MaxOptionSteps int64 `cbor:"max_option_steps,omitempty" json:"max_option_steps,omitempty"`

	// StateSet is the states that the matrix of a method on states is over, empty for all.
	StateSet StateSet `cbor:"state_set,omitempty" json:"state_set,omitempty"`

	// PsiGamma is the discount of a successor representation, 0 for Gamma.
	PsiGamma float64 `cbor:"psi_gamma,omitempty" json:"psi_gamma,omitempty"`

	// PsiPasses is how often a successor representation learns from the transitions of each iteration, 0 for once.
	PsiPasses int64 `cbor:"psi_passes,omitempty" json:"psi_passes,omitempty"`

	// PsiPart is the part of the successor representation that is factored, empty for all of it.
	PsiPart PsiPart `cbor:"psi_part,omitempty" json:"psi_part,omitempty"`

	// FeatureScale is the divisor of D's columns, empty for no scaling.
	FeatureScale FeatureScale `cbor:"feature_scale,omitempty" json:"feature_scale,omitempty"`

	// Initiation restricts the states in which options can start. Empty means every state in which some action is
	// worth more than the tolerance.
	Initiation Start `cbor:"initiation,omitempty" json:"initiation,omitempty"`

	// Options is the lifetime of options in the action set, empty for all later iterations.
	Options Lifetime `cbor:"options,omitempty" json:"options,omitempty"`

	// OptionProbability is the probability that a decision is drawn from the available options, if there are any,
	// rather than from the actions; 0 if it is drawn from both alike.
	OptionProbability float64 `cbor:"option_probability,omitempty" json:"option_probability,omitempty"`

	// Ridge is λ of the basis [Posterior], 0 for [DefaultRidge].
	Ridge float64 `cbor:"ridge,omitempty" json:"ridge,omitempty"`

	// Behaviour is the number of steps for which a drawn action is taken, empty for one.
	Behaviour Behaviour `cbor:"behaviour,omitempty" json:"behaviour,omitempty"`

	// Sides selects the signs of a direction that become purposes, empty for both.
	Sides Sides `cbor:"sides,omitempty" json:"sides,omitempty"`

	// Restart says which iterations begin in the environment's first state rather than where the one before ended,
	// empty for none but the first. Where iterations begin with an episode, they do so in any case.
	Restart Restart `cbor:"restart,omitempty" json:"restart,omitempty"`

	// LeaveOut has the numbers of options that are left out of the action set, in ascending order; all other
	// options keep their numbers. Only counterfactual runs have some.
	LeaveOut []uint64 `cbor:"leave_out,omitempty" json:"leave_out,omitempty"`

	// Stages has the declarations of external stages, nil if there are none.
	Stages *Stages `cbor:"stages,omitempty" json:"stages,omitempty"`
}

// Limits of a spec. They keep every count an exact int64 and every loop finite.
const (
	MaxSteps  = 1 << 40
	MaxSweeps = 1 << 30

	maxPsiPasses = 1 << 16 // over the transitions of an iteration
)

// maxGamma is the largest discount. With a larger one the values of states would be nothing but rounding errors.
const maxGamma = 1 - 1e-12
