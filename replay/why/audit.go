package why

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// Question is a question about an option.
type Question struct {
	Ref      report.Ref
	Progress func(Stage) // if not nil, is called before each step with its stage
}

// audit is an audit in progress.
type audit struct {
	run  *recorded.Records
	env  envs.Env
	ref  report.Ref
	k    int
	spec schema.Spec // of iteration k

	image     func([]float64) []float64         // maps vectors so that cos_M is their cosine; nil until needed
	imagesByK map[int]func([]float64) []float64 // of purposes over visited states, by iteration

	first    int // iteration from which on records are read
	factors  schema.Factors
	purposes [][]schema.Purpose // by iteration, 0…k; nil before they are needed
	begin    []int              // by iteration: number of its first option
	at       int                // of the purpose in its iteration

	rows   *rows
	traces map[int][]tracedStep // by iteration, where the order of steps counts
	own    *stepShares          // of the purpose
	walks  []*stepCounts        // by iteration, 0…k; nil where it was not needed
	data   *stepCounts          // the steps of D

	option *schema.Option        // nil without a model
	steps  []int32               // that the option takes from each state, and where it
	ends   []int32               // ends: see learn.FollowPolicy
	taken  schema.ValueFunction  // the values or weights behind its policy
	moves  envs.TransitionCounts // that its learner learned from, if it had no model
	known  *envs.Model           // nil until needed

	out Report
}

// purpose returns the explained purpose.
func (a *audit) purpose() schema.Purpose { return a.purposes[a.k][a.at] }

// hasModel reports whether purposes have options, and rows have steps.
func (a *audit) hasModel() bool { return envs.HasActions(a.env) }

// firstOf returns the first iteration whose steps are in iteration k's D.
func (a *audit) firstOf(k int) int {
	if a.spec.Dataset == schema.Cumulative {
		return 0
	}
	return k
}

// nameOf returns the name of a source: an option's reference, an action's name, or "" for no option.
func (a *audit) nameOf(number int, role role) string {
	switch {
	case number < 0 && role == executing:
		return a.env.Actions()[-1-number]
	case number < 0:
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

// stepShares holds the shares of steps, by distinct transition and by source.
type stepShares struct {
	row []float64
	by  [roles]map[int]float64
}

// hasMatrix reports whether D is a method's matrix, whose entries are computed from the transitions.
func (a *audit) hasMatrix() bool { return a.run.Spec.Method.HasMatrix() }

// directionsFrom returns the external method that made the purposes' directions, nil for a built-in one. D is then the
// matrix of transition differences; how the method used it is unknown.
func (a *audit) directionsFrom() *schema.StageProgram { return a.spec.Stages.Of(schema.MethodStage) }

// tracedStep is a step as a method that depends on their order sees it.
type tracedStep struct {
	move   envs.Transition
	by     [roles]int32 // its sources
	row    int32
	resets bool // an episode ended with it
}
