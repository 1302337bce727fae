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

// External is an environment in another process, of which only what was seen is known:
// its states are the distinct observations, in the order in which they were first
// seen. Their number grows while an agent acts. It is for one goroutine.
//
// An observation is bytes here: a discrete one its number as u32, a binary one its
// bits packed, the first one lowest, and a real one its features as f64 that are never
// −0; little-endian.
type External struct {
	declaration     schema.External
	features        []string
	observationSize int // bytes of an observation

	index        map[string]int32 // nil where nothing can be seen any more
	observations []string         // of index
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

// Declaration is what the environment says of itself.
func (e *External) Declaration() schema.External { return e.declaration }

// ObservationSize is the length of an observation, in bytes.
func (e *External) ObservationSize() int { return e.observationSize }

// Intern is the state of an observation, which becomes known by it. After an error
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

// Truncate is as if only the first n states had been seen.
func (e *External) Truncate(n int) {
	for _, o := range e.observations[n:] {
		delete(e.index, o)
	}
	e.observations = e.observations[:n]
}

// Prefix is the environment when only the first n states had been seen, to read. It
// shares memory with e.
func (e *External) Prefix(n int) *External {
	before := *e
	before.index, before.observations = nil, e.observations[:n:n]
	return &before
}

// AlignStates are the states' numbers in another run's numbering, behind which stand those
// that it has not seen, and how many there are in both.
func (e *External) AlignStates(other *External) (places []int32, states int) {
	states = other.States()
	for _, o := range e.observations {
		s, seen := other.index[o]
		if !seen {
			s = int32(states)
			states++
		}
		places = append(places, s)
	}
	return places, states
}

// States implements [Env]: those seen so far.
func (e *External) States() int { return len(e.observations) }

// Actions implements [Env].
func (e *External) Actions() []string { return e.declaration.Actions }

// Features implements [Env].
func (e *External) Features() []string { return e.features }

// Start implements [Env]. Each iteration begins where the environment says.
func (e *External) Start() int { return 0 }

// Step implements [Env]. What an action does only the environment knows.
func (e *External) Step(int, int) int { panic("pod: a step of an environment in another process") }

// RowClass implements [Env]: nothing says what a transition will be.
func (e *External) RowClass(int, int) int {
	panic("pod: a transition of an environment in another process")
}

// RowClasses implements [Env].
func (e *External) RowClasses() int { return 0 }

// RowDifference implements [Env].
func (e *External) RowDifference(int, []float64) {
	panic("pod: a row of an environment in another process")
}

// Model implements [Env]: nothing is known of what actions do. What was observed of
// them makes a model, see [NewObservedModel].
func (e *External) Model() *Model { return &Model{States: len(e.observations)} }
