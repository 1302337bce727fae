package envs

import (
	"context"
	"fmt"
	"sync"

	"github.com/podtrack/podtrack/schema"
)

// MaxGraphStates is the largest number of states of a [Graph].
const MaxGraphStates = 1 << 28

// A Graph defines an environment whose dynamics are known, by functions of the state. Its environment supports
// everything that built-in ones support: learners use its model, runs in it can be replayed by any program that
// registers it, and options are compared and audited by the model.
//
// The functions must be pure: the same arguments must give the same results on every machine, for ever. A change of
// their results needs another version of the environment, since runs are identified by it. To give the same bits
// everywhere they must round each product before adding it (float64(x*y) + z), and must not use functions such as
// math.Exp. Several goroutines may call them at once.
type Graph struct {
	States   int      // S, at least 1; states are 0 to S−1
	Actions  []string // names, in action order
	Features []string // names, in feature order; nil for one feature a state

	// Observe sets dst, of one element for each feature, to φ(s), finite. It is nil exactly if
	// Features is: then the feature of state s is 1 in s and 0 elsewhere.
	Observe func(s int, dst []float64)

	// Step returns the state after action a in state s. It is nil if Branches is given.
	Step func(s, a int) int

	// Branches returns the states that action a may lead to from state s, at least one, with weights of at least 1: a
	// state to which it cannot lead is left out. It is nil if Step is given.
	Branches func(s, a int) []Branch

	Starts []int // states in which an episode, or the run, may begin, one drawn uniformly; nil for state 0

	// IsTerminal reports whether an episode ends in s; nil if it ends nowhere. From a terminal state
	// no action leads anywhere: there Step and Branches are not called.
	IsTerminal func(s int) bool

	EpisodeLimit int64 // steps after which an episode is truncated, 0 for none

	// StateName returns the name of a state; nil for state0, state1, ….
	StateName func(s int) string
}

// Env returns the environment, or an error that wraps [schema.ErrSpec]. It calls none of the
// functions; [CheckEnv] does.
//
// Without episodes, Starts has at most one state. Distances are the steps of the shortest path, over all that actions
// may lead to.
func (g Graph) Env() (SimulatedEnv, error) {
	if err := g.check(); err != nil {
		return nil, err
	}
	return newGraphEnv(g), nil
}

// newGraphEnv returns the environment of a graph that is complete.
func newGraphEnv(g Graph) *graphEnv {
	if g.StateName == nil {
		g.StateName = stateName
	}
	if g.Starts == nil {
		g.Starts = []int{0}
	}
	e := &graphEnv{graph: g, features: func() []string { return g.Features }}
	e.build = e.newModel
	if g.Features == nil {
		e.features = sync.OnceValue(func() []string { return namesOf(g.States, g.StateName) })
	}
	return e
}

// check returns an error unless the definition is complete.
func (g Graph) check() error {
	switch {
	case g.States < 1 || g.States > MaxGraphStates:
		return graphError("%d states; there can be 1 to %d", g.States, MaxGraphStates)
	case len(g.Actions) < 1 || len(g.Actions) > schema.MaxActions:
		return graphError("%d actions; there can be 1 to %d", len(g.Actions), schema.MaxActions)
	case (g.Features == nil) != (g.Observe == nil):
		return graphError("Features or Observe; give both, or neither for one feature a state")
	case g.Features != nil && (len(g.Features) < 1 || len(g.Features) > MaxFeatures):
		return graphError("%d features; there can be 1 to %d", len(g.Features), MaxFeatures)
	case g.Features == nil && g.States > schema.MaxRecordFeatures:
		return graphError("no Features and %d states; with one feature a state there can be %d", g.States,
			schema.MaxRecordFeatures)
	case (g.Step == nil) == (g.Branches == nil):
		return graphError("Step and Branches; give one of them")
	case g.EpisodeLimit < 0:
		return graphError("an episode limit of %d steps; give at least 1, or 0 for none", g.EpisodeLimit)
	case g.Starts != nil && len(g.Starts) == 0:
		return graphError("no state to start in; leave Starts nil for state 0")
	case len(g.Starts) > 1 && g.IsTerminal == nil && g.EpisodeLimit == 0:
		return graphError("%d states to start in, but no episodes; give IsTerminal, EpisodeLimit or one start",
			len(g.Starts))
	}
	for _, s := range g.Starts {
		if s < 0 || s >= g.States {
			return graphError("start state %d; the states are 0 to %d", s, g.States-1)
		}
	}
	if err := checkNames(graphError, "action", g.Actions); err != nil {
		return err
	}
	return checkNames(graphError, "feature", g.Features)
}

func graphError(format string, args ...any) error {
	return fmt.Errorf("%w: a graph has "+format, append([]any{schema.ErrSpec}, args...)...)
}

// graphEnv is the environment of a [Graph]. It implements [SimulatedEnv], [Episodic], [Metric] and
// [stateNamer].
type graphEnv struct {
	graph    Graph
	features func() []string
	lazyModel
}

func (g *graphEnv) States() int             { return g.graph.States }
func (g *graphEnv) Actions() []string       { return g.graph.Actions }
func (g *graphEnv) Features() []string      { return g.features() }
func (g *graphEnv) Deterministic() bool     { return g.graph.Step != nil }
func (g *graphEnv) Start() int              { return g.graph.Starts[0] }
func (g *graphEnv) StartStates() []int      { return g.graph.Starts }
func (g *graphEnv) EpisodeLimit() int64     { return g.graph.EpisodeLimit }
func (g *graphEnv) IsTerminal(s int) bool   { return g.graph.IsTerminal != nil && g.graph.IsTerminal(s) }
func (g *graphEnv) StateName(s int) string  { return g.graph.StateName(s) }
func (g *graphEnv) Distances(s int) []int32 { return g.Model().StepsFrom(s) }

// Observe implements [Env].
func (g *graphEnv) Observe(s int, dst []float64) {
	if g.graph.Observe == nil {
		observeState(s, dst)
		return
	}
	g.graph.Observe(s, dst)
}

// Potential implements [Env].
func (g *graphEnv) Potential(vector, w []float64) {
	if g.graph.Observe == nil {
		copy(w, vector)
		return
	}
	phi := make([]float64, len(g.graph.Features))
	for s := range w {
		g.graph.Observe(s, phi)
		sum := 0.0
		for i, x := range phi {
			sum += float64(vector[i] * x)
		}
		w[s] = sum
	}
}

// Step implements [SteppableEnv]: the most likely successor.
func (g *graphEnv) Step(s, a int) int {
	switch {
	case g.IsTerminal(s):
		return s
	case g.graph.Step == nil:
		return g.Model().Next(s, a)
	}
	next := g.graph.Step(s, a)
	if err := g.checkSuccessor(s, a, int64(next)); err != nil {
		panic(err)
	}
	return next
}

// newModel tabulates the graph, after checking every successor.
func (g *graphEnv) newModel(ctx context.Context) (*Model, error) {
	for s := range g.graph.States {
		if s%(contextCheckInterval/16) == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for a := range g.graph.Actions {
			if err := g.checkOutcomes(s, a); err != nil {
				return nil, err
			}
		}
	}
	if g.Deterministic() {
		return newModel(ctx, g.graph.States, len(g.graph.Actions), g.Step)
	}
	return NewStochasticModel(g.graph.States, len(g.graph.Actions), func(s, a int) []Branch {
		if g.IsTerminal(s) {
			return []Branch{{Next: int32(s), Weight: 1}}
		}
		return g.graph.Branches(s, a)
	}), ctx.Err()
}

// maxWeight is the largest sum of the weights of one state and action: its shares are exact.
const maxWeight = 1 << 53

// checkOutcomes checks the outcomes of one action in one state.
func (g *graphEnv) checkOutcomes(s, a int) error {
	if g.IsTerminal(s) {
		return nil
	}
	if g.Deterministic() {
		return g.checkSuccessor(s, a, int64(g.graph.Step(s, a)))
	}
	total := int64(0)
	for _, b := range g.graph.Branches(s, a) {
		if err := g.checkSuccessor(s, a, int64(b.Next)); err != nil {
			return err
		}
		if b.Weight < 1 || b.Weight > maxWeight-total {
			return graphError("the weight %d of action %q in state %d; weights are at least 1, and %d together at most",
				b.Weight, g.graph.Actions[a], s, int64(maxWeight))
		}
		total += b.Weight
	}
	if total == 0 {
		return graphError("no successor of action %q in state %d; an action that does nothing leads to its state",
			g.graph.Actions[a], s)
	}
	return nil
}

func (g *graphEnv) checkSuccessor(s, a int, next int64) error {
	if next < 0 || next >= int64(g.graph.States) {
		return graphError("the successor %d of action %q in state %d; the states are 0 to %d", next, g.graph.Actions[a], s,
			g.graph.States-1)
	}
	return nil
}
