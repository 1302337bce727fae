package envs

import (
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
)

func init() {
	// Dietterich's domain (JAIR 13, 2000) in the form of OpenAI Gym: a taxi on a 5 by 5 grid takes a passenger from one
	// of four stands to another. Its features are one-hot by factor, so that a purpose can be read. An episode ends
	// when the passenger is at the destination.
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
	taxiSize   = 5
	numStands  = 4
	inTaxi     = numStands // of a passenger
	taxiStates = taxiSize * taxiSize * (numStands + 1) * numStands
)

// standCells are the cells of the stands red, green, yellow and blue.
var standCells = [numStands]Cell{{0, 0}, {0, 4}, {4, 0}, {4, 3}}

var standNames = []string{"red", "green", "yellow", "blue"}

// eastWalls are the cells that have a wall to their east.
var eastWalls = []Cell{{0, 1}, {1, 1}, {3, 0}, {4, 0}, {3, 2}, {4, 2}}

// taxiState is a state, split into its factors. The passenger is at one of the four stands or, 4, in the taxi.
type taxiState struct {
	at                     Cell
	passenger, destination int
}

func newTaxi(e schema.Env) (Env, error) {
	var starts []int
	for s := range taxiStates {
		if t := newTaxiState(s); t.passenger != inTaxi && !t.isDelivered() {
			starts = append(starts, s)
		}
	}
	return Graph{
		States: taxiStates, Actions: []string{"south", "north", "east", "west", "pickup", "dropoff"},
		Features: slices.Concat(numbered("row", taxiSize), numbered("column", taxiSize),
			textfmt.Map(standNames, func(name string) string { return "passenger-" + name }), []string{"passenger-in-taxi"},
			textfmt.Map(standNames, func(name string) string { return "to-" + name })),
		Observe: observeTaxi, Step: stepTaxi, Starts: starts,
		IsTerminal: func(s int) bool { return newTaxiState(s).isDelivered() }, EpisodeLimit: e.Params["episode"],
	}.Env()
}

func newTaxiState(s int) taxiState {
	place := s / (numStands * (numStands + 1))
	return taxiState{Cell{place / taxiSize, place % taxiSize}, s / numStands % (numStands + 1), s % numStands}
}

func (t taxiState) isDelivered() bool { return t.passenger == t.destination }

func stepTaxi(s, a int) int {
	t := newTaxiState(s)
	switch a {
	case 0:
		t.at.Row = min(t.at.Row+1, taxiSize-1)
	case 1:
		t.at.Row = max(t.at.Row-1, 0)
	case 2:
		if t.at.Column < taxiSize-1 && !slices.Contains(eastWalls, t.at) {
			t.at.Column++
		}
	case 3:
		if t.at.Column > 0 && !slices.Contains(eastWalls, Cell{t.at.Row, t.at.Column - 1}) {
			t.at.Column--
		}
	case 4:
		if t.passenger != inTaxi && standCells[t.passenger] == t.at {
			t.passenger = inTaxi
		}
	case 5:
		if i := slices.Index(standCells[:], t.at); i >= 0 && t.passenger == inTaxi {
			t.passenger = i
		}
	}
	return ((t.at.Row*taxiSize+t.at.Column)*(numStands+1)+t.passenger)*numStands + t.destination
}

func observeTaxi(s int, dst []float64) {
	clear(dst)
	t, first := newTaxiState(s), 0
	for _, factor := range [][2]int{{t.at.Row, taxiSize}, {t.at.Column, taxiSize}, {t.passenger, numStands + 1},
		{t.destination, numStands}} {
		dst[first+factor[0]] = 1
		first += factor[1]
	}
}
