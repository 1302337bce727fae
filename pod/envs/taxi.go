package envs

import (
	"fmt"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/schema"
)

// taxi is Dietterich's domain (JAIR 13, 2000) in the form of OpenAI Gym: a taxi on a 5 by
// 5 grid takes a passenger from one of four stands to another. Its features are one-hot by
// factor, so that a purpose can be read. A state's index is ((row*5 + column)*5 +
// passenger)*4 + destination, where the passenger is at one of the four stands or, 4, in
// the taxi. An episode ends when the passenger is at the destination.
type taxi struct {
	episode int64
	model   func() *Model
	starts  []int
}

func init() {
	registerBuiltin(RegisteredEnv{
		Name:       "taxi",
		Version:    1,
		Usage:      "a taxi takes a passenger from stand to stand; 500 states of four factors",
		States:     "((row·5 + column)·5 + passenger)·4 + destination; a passenger in the taxi counts as at stand 4",
		Parameters: []Parameter{episodeParameter},
		Build:      newTaxi,
	})
}

const (
	taxiSize  = 5
	numStands = 4
	inTaxi    = numStands
)

// standCells are the cells of the stands red, green, yellow and blue.
var standCells = [numStands]Cell{{0, 0}, {0, 4}, {4, 0}, {4, 3}}

var standNames = []string{"red", "green", "yellow", "blue"}

// eastWalls are the cells that have a wall to their east.
var eastWalls = []Cell{{0, 1}, {1, 1}, {3, 0}, {4, 0}, {3, 2}, {4, 2}}

// taxiState is a state, split into its factors.
type taxiState struct {
	at                     Cell
	passenger, destination int
}

func newTaxi(e schema.Env) (Env, error) {
	t := &taxi{episode: e.Params["episode"]}
	for s := range t.States() {
		if f := t.factors(s); f.passenger != inTaxi && f.passenger != f.destination {
			t.starts = append(t.starts, s)
		}
	}
	t.model = sync.OnceValue(func() *Model { return newModel(t.States(), len(t.Actions()), t.Step) })
	return t, nil
}

func (t *taxi) factors(s int) taxiState {
	place := s / (numStands * (numStands + 1))
	return taxiState{Cell{place / taxiSize, place % taxiSize}, s / numStands % (numStands + 1), s % numStands}
}

func (t taxiState) index() int {
	return ((t.at.Row*taxiSize+t.at.Column)*(numStands+1)+t.passenger)*numStands + t.destination
}

// States implements [Env].
func (t *taxi) States() int { return taxiSize * taxiSize * (numStands + 1) * numStands }

// Actions implements [Env].
func (t *taxi) Actions() []string {
	return []string{"south", "north", "east", "west", "pickup", "dropoff"}
}

// Start implements [SteppableEnv].
func (t *taxi) Start() int { return t.starts[0] }

// StartStates implements [Episodic]: the passenger waits at a stand that is not the
// destination.
func (t *taxi) StartStates() []int { return t.starts }

// EpisodeLimit implements [Episodic].
func (t *taxi) EpisodeLimit() int64 { return t.episode }

// IsTerminal implements [Episodic]: the passenger is at the destination.
func (t *taxi) IsTerminal(s int) bool {
	f := t.factors(s)
	return f.passenger == f.destination
}

// Step implements [SteppableEnv].
func (t *taxi) Step(s, a int) int {
	f := t.factors(s)
	if t.IsTerminal(s) {
		return s
	}
	switch a {
	case 0:
		f.at.Row = min(f.at.Row+1, taxiSize-1)
	case 1:
		f.at.Row = max(f.at.Row-1, 0)
	case 2:
		if f.at.Column < taxiSize-1 && !slices.Contains(eastWalls, f.at) {
			f.at.Column++
		}
	case 3:
		if f.at.Column > 0 && !slices.Contains(eastWalls, Cell{f.at.Row, f.at.Column - 1}) {
			f.at.Column--
		}
	case 4:
		if f.passenger != inTaxi && standCells[f.passenger] == f.at {
			f.passenger = inTaxi
		}
	case 5:
		if i := slices.Index(standCells[:], f.at); i >= 0 && f.passenger == inTaxi {
			f.passenger = i
		}
	}
	return f.index()
}

// Features implements [Env]: one for each value of each factor.
func (t *taxi) Features() []string {
	names := slices.Concat(numbered("row", taxiSize), numbered("column", taxiSize))
	for _, name := range standNames {
		names = append(names, "passenger-"+name)
	}
	names = append(names, "passenger-in-taxi")
	for _, name := range standNames {
		names = append(names, fmt.Sprintf("to-%s", name))
	}
	return names
}

// activeFeatures returns the features that are 1 in state s.
func (t *taxi) activeFeatures(s int) [4]int {
	f := t.factors(s)
	return [4]int{f.at.Row, taxiSize + f.at.Column, 2*taxiSize + f.passenger,
		2*taxiSize + numStands + 1 + f.destination}
}

// Observe implements [Env].
func (t *taxi) Observe(s int, dst []float64) {
	clear(dst)
	for _, i := range t.activeFeatures(s) {
		dst[i] = 1
	}
}

// Potential implements [Env].
func (t *taxi) Potential(e, w []float64) {
	for s := range w {
		w[s] = 0
		for _, i := range t.activeFeatures(s) {
			w[s] += e[i]
		}
	}
}

// Model implements [ModelEnv].
func (t *taxi) Model() *Model { return t.model() }

// Deterministic implements [ModelEnv].
func (t *taxi) Deterministic() bool { return true }
