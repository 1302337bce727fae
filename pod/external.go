package pod

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// Bounds on what a run may see, in distinct observations and in bytes of them.
const (
	MaxObservations = 1 << 22
	maxSeenBytes    = 1 << 30
)

// External is an environment in another process, of which only what was observed is known:
// its states are the distinct observations, in the order in which they first appeared.
// Their number grows while an agent acts. It must not be used by several goroutines at
// once.
//
// An observation is a byte string, little-endian: the number of a discrete one as u32, the
// packed bits of a binary one, the first bit lowest, or the features of a real one as f64,
// never −0.
type External struct {
	declaration     schema.External
	features        []string
	observationSize int // bytes of an observation

	index        map[string]int32 // state by observation; nil for a read-only prefix
	observations []string         // by state
}

func newExternal(x schema.External) *External {
	e := &External{declaration: x, features: x.Features, index: map[string]int32{}}
	switch x.Observes {
	case schema.Discrete:
		e.features, e.observationSize = numbered("state", int(x.Size)), 4
	case schema.Binary:
		e.observationSize = (int(x.Size) + 7) / 8
	case schema.Real:
		e.observationSize = 8 * int(x.Size)
	}
	return e
}

// Declaration returns what the environment declares about itself.
func (e *External) Declaration() schema.External { return e.declaration }

// ObservationSize returns the length of an observation in bytes.
func (e *External) ObservationSize() int { return e.observationSize }

// Intern returns the state of an observation and adds it if it is new. After an error
// nothing has changed.
func (e *External) Intern(observation []byte) (int, error) {
	if s, ok := e.index[string(observation)]; ok {
		return int(s), nil
	}
	s := len(e.observations)
	if s == MaxObservations || (s+1)*e.observationSize > maxSeenBytes {
		return 0, schema.Hint(fmt.Errorf("more than %d distinct observations of %d features", s, len(e.features)),
			"observe less: fewer features, or features in bins")
	}
	own := string(observation)
	e.index[own], e.observations = int32(s), append(e.observations, own)
	return s, nil
}

// Truncate removes all states but the first n.
func (e *External) Truncate(n int) {
	for _, o := range e.observations[n:] {
		delete(e.index, o)
	}
	e.observations = e.observations[:n]
}

// Prefix returns a read-only view of the environment with its first n states. It shares
// memory with e.
func (e *External) Prefix(n int) *External {
	before := *e
	before.index, before.observations = nil, e.observations[:n:n]
	return &before
}

// AlignStates returns the number of each state in the numbering of other, in which the
// states that other lacks come last, and the number of states in both together.
func (e *External) AlignStates(other *External) (aligned []int32, states int) {
	states = other.States()
	for _, o := range e.observations {
		s, known := other.index[o]
		if !known {
			s = int32(states)
			states++
		}
		aligned = append(aligned, s)
	}
	return aligned, states
}

// States implements [Env]: the number of states observed so far.
func (e *External) States() int { return len(e.observations) }

// Actions implements [Env].
func (e *External) Actions() []string { return e.declaration.Actions }

// Features implements [Env].
func (e *External) Features() []string { return e.features }

// Start implements [Env]. It returns 0; each iteration starts where the environment says.
func (e *External) Start() int { return 0 }

// Step implements [Env]. It panics: only the environment knows what an action does.
func (e *External) Step(int, int) int { panic("pod: a step of an environment in another process") }

// RowClass implements [Env]. It panics: transitions are not known in advance.
func (e *External) RowClass(int, int) int {
	panic("pod: a transition of an environment in another process")
}

// RowClasses implements [Env].
func (e *External) RowClasses() int { return 0 }

// RowDifference implements [Env]. It panics: there are no row classes.
func (e *External) RowDifference(int, []float64) {
	panic("pod: a row of an environment in another process")
}

// Model implements [Env]: a model without actions. [NewObservedModel] makes one of the
// observed transitions.
func (e *External) Model() *Model { return &Model{States: len(e.observations)} }
