package schema

// Method is how purposes are discovered from transitions, one of [Methods].
type Method string

// Basis is which vectors are the eigenpurposes.
type Basis string

// Dataset is which transitions D contains.
type Dataset string

// Select is which eigenpurposes become options. [Select.ParseRule] parses it.
type Select string

// Learner is how an eigenbehaviour is learned, one of [Learners].
type Learner string

// StateSet is which states the matrix of a method on states is over.
type StateSet string

// FeatureScale is what the columns of D are divided by.
type FeatureScale string

// Start is in which states an option of an approximate learner can start.
type Start string

// Lifetime is in how many iterations an option is in the action set. [Lifetime.Iterations] parses it.
type Lifetime string

// Sides is which signs of a direction are purposes.
type Sides string

// The values of the choices.
const (
	POD       Method = "pod"       // singular vectors of the feature differences
	Laplacian Method = "laplacian" // of the normalised Laplacian of the observed transitions
	Successor Method = "successor" // of the successor representation

	SuccessorFeatures Method = "successor-features" // of successor features
	Covering          Method = "covering"           // the ends of the Fiedler vector
	Counts            Method = "counts"             // 1/√n, n being how often a state was visited

	AllStates     StateSet = ""        // of the environment
	VisitedStates StateSet = "visited" // that transitions of D began or ended in

	RightSingular Basis   = "right-singular" // rows of Vᵀ, as in Definition 3.1
	RowsOfV       Basis   = "rows-of-v"      // rows of V = DᵀUΣ⁺
	Random        Basis   = "random"         // drawn, as many as would be kept by σ
	PerIteration  Dataset = "iteration"      // D emptied, as in Algorithm 1
	Cumulative    Dataset = "cumulative"     // D kept
	Threshold     Select  = "threshold"      // σ > κ
	Sweeps        Learner = "sweeps"         // synchronous value iteration from 0
	Exact         Learner = "exact"          // its fixed point, by label setting on a deterministic model
	Empirical     Learner = "empirical"      // sweeps on the model that the observed transitions make
	LSPI          Learner = "lspi"           // least-squares policy iteration on observed transitions
	QLearning     Learner = "q-learning"     // on the recorded stream of transitions

	Unscaled FeatureScale = ""    // by nothing
	RMS      FeatureScale = "rms" // each by its root mean square

	StartAnywhere Start = ""         // in all in which some action is worth more than the tolerance
	StartObserved Start = "observed" // in those from which the observed transitions show that it ends

	TwoSided Sides = ""    // both
	OneSided Sides = "one" // the one that leads away from where the agent often was

	KeepOptions    Lifetime = ""        // in all later ones
	ReplaceOptions Lifetime = "replace" // in the next one alone
)

// A Criterion is what decides whether a direction becomes options, one of [Selections].
type Criterion string

// The criteria. [ByRank] and [ByEnergy] do not use κ.
const (
	BySigma   Criterion = "threshold"        // σ > κ
	BySquare  Criterion = "threshold:sigma2" // σ² > κ
	ByRMS     Criterion = "threshold:rms"    // σ/√n > κ: the root mean square of the n rows of D along it
	ByRank    Criterion = "top"              // the N largest σ
	ByEnergy  Criterion = "energy"           // the fewest whose Σσ² is a given share of the total
	BySample  Criterion = "sample"           // N of those with σ > κ, drawn
	ByNovelty Criterion = "novel"            // σ > κ, and similar to nothing in the action set
	Below     Criterion = "below"            // σ ≤ κ, also 0: what threshold leaves out
)

// A Rule is a parsed [Select].
type Rule struct {
	By    Criterion
	N     int     // number of directions, for ByRank and BySample
	Limit float64 // share of ByEnergy, or largest |cos_M| of ByNovelty
}

// MaxSelected is the largest N of a rule.
const MaxSelected = maxDims
