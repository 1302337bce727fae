package why

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// Question is a question about an option.
type Question struct {
	Ref   report.Ref
	Depth *int // generations of ancestors, nil for all
	State *int // explain what the option does in this state

	// AllAblations is true to factor D again without the steps of each source, false to do so for the
	// largest ones as far as that takes little time.
	AllAblations bool

	Progress func(Stage) // is called with what is done next, if not nil
}

// audit is an audit in progress.
type audit struct {
	run   *recorded.Records
	env   envs.Env
	k     int
	spec  schema.Spec // of iteration k
	depth *int        // generations of ancestors, nil for all

	image        func([]float64) []float64         // of vectors in which cos_M is the cosine; nil before it is needed
	imagesByK    map[int]func([]float64) []float64 // of purposes over visited states, by iteration
	allAblations bool

	first    int // iteration from which on records are read
	factors  schema.Factors
	purposes [][]schema.Purpose // by iteration, 0…k; nil before they are needed
	begin    []int              // by iteration: number of its first option
	at       int                // of the purpose in its iteration

	rows   *rows
	traces map[int][]tracedStep // by iteration, where the order of steps counts
	own    *stepShares          // of the purpose, where D is a matrix over states
	walks  []*stepCounts        // by iteration, 0…k; nil where it was not needed
	data   *stepCounts          // the steps of D

	option *schema.Option        // nil without a model
	steps  []int32               // that the option takes from each state, and where it
	ends   []int32               // ends: see learn.FollowPolicy
	taken  schema.ValueFunction  // what its policy was taken from
	moves  envs.TransitionCounts // that its learner learned from, where it knew no model
	known  *envs.Model           // nil before it was asked for

	out Report
}

// purpose returns the explained purpose.
func (a *audit) purpose() schema.Purpose { return a.purposes[a.k][a.at] }

// hasModel reports whether purposes have options, and rows have steps.
func (a *audit) hasModel() bool { return envs.HasActions(a.env) }

// wantsAncestors reports whether any generation of ancestors is asked for.
func (a *audit) wantsAncestors() bool { return a.depth == nil || *a.depth > 0 }

// firstOf returns the first iteration whose steps are in iteration k's D.
func (a *audit) firstOf(k int) int {
	if a.spec.Dataset == schema.Cumulative {
		return 0
	}
	return k
}

// nameOf returns the name of what was executing: an option's reference, an action's name, or "".
func (a *audit) nameOf(number int, actions bool) string {
	if number < 0 {
		if actions {
			return a.env.Actions()[-1-number]
		}
		return ""
	}
	k, i := a.optionPlace(number)
	return optionRef(a.run, k, a.purposes[k][i])
}

// optionPlace returns the iteration of an option and its position there.
func (a *audit) optionPlace(number int) (k, i int) {
	for k+1 < len(a.begin) && a.begin[k+1] <= number {
		k++
	}
	return k, number - a.begin[k]
}

// stepShares holds the shares of the steps of D where a method factors a matrix over states: of each
// distinct transition, and of what was executing and what was completed last.
type stepShares struct {
	row          []float64
	force, after map[int]float64
}

// hasMatrix reports whether D is a method's matrix, whose entries the transitions are behind.
func (a *audit) hasMatrix() bool { return a.run.Spec.Method.HasMatrix() }

// directionsFrom returns the external method whose directions the purposes are, nil for a built-in one. D is that of
// the transitions, and what the method made of it is not known.
func (a *audit) directionsFrom() *schema.StageProgram { return a.spec.Stages.Of(schema.MethodStage) }

// tracedStep is a step as a method that depends on their order sees it.
type tracedStep struct {
	move               envs.Transition
	source, after, row int32
	resets             bool // an episode ended with it
}
