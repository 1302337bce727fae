package layout

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

// maxStates is the largest number of visited states that are placed.
const maxStates = 2000

// ErrTooLarge is the error of a run that visited more states.
var ErrTooLarge = errors.New("too many states to place")

// Layout has the places of the visited states.
type Layout struct {
	States []int        `json:"states"` // in ascending order
	Places [][2]float64 `json:"places"` // of each, to the right and downwards; neighbours are about 1 apart
	Width  float64      `json:"width"`  // all places lie within 0 to Width and 0 to Height
	Height float64      `json:"height"`
	Edges  [][2]int     `json:"edges"` // pairs of states that a transition joins, the lower first, in ascending order
	Next   [][]int      `json:"next"`  // of each state by action: where it led most often, −1 if it was not tried
}

// Read reads the transitions of a run and places the states.
func Read(ctx context.Context, run *recorded.Records) (Layout, error) {
	var all envs.TransitionCounts
	for k := range run.Iterations {
		counts, err := run.TransitionCounts(k)
		if err != nil {
			return Layout{}, run.WrapError(k, err)
		}
		all = all.Merge(counts)
		if err := checkSize(visitedStates(all)); err != nil {
			return Layout{}, err
		}
	}
	return newLayout(ctx, all, len(run.Env.Actions()))
}

// newLayout places the states of transitions.
func newLayout(ctx context.Context, transitions envs.TransitionCounts, actions int) (Layout, error) {
	l := Layout{States: visitedStates(transitions), Edges: [][2]int{}}
	if err := checkSize(l.States); err != nil {
		return l, err
	}
	l.Next = mostFrequent(l.States, transitions, actions)
	g := newGraph(l.States, transitions)
	for a, near := range g.near {
		for _, b := range near {
			if a < b {
				l.Edges = append(l.Edges, [2]int{l.States[a], l.States[b]})
			}
		}
	}
	l.Places = make([][2]float64, len(l.States))
	var boxes []box
	for _, members := range g.components() {
		places, err := g.placeComponent(ctx, members)
		if err != nil {
			return l, err
		}
		boxes = append(boxes, newBox(members, places))
	}
	l.Width, l.Height = pack(boxes, l.Places)
	return l, nil
}

func checkSize(states []int) error {
	if len(states) <= maxStates {
		return nil
	}
	return schema.Hint(fmt.Errorf("%w: more than %d states were visited", ErrTooLarge, maxStates),
		"the map of the visited states is drawn up to there; the tables and the weights have all states")
}

// visitedStates returns the states of transitions in ascending order.
func visitedStates(transitions envs.TransitionCounts) []int {
	var states []int
	for _, t := range transitions {
		states = append(states, int(t.State), int(t.Next))
	}
	slices.Sort(states)
	return slices.Compact(states)
}

// mostFrequent returns where each action led from each state most often, of several the lowest state.
func mostFrequent(states []int, transitions envs.TransitionCounts, actions int) [][]int {
	next, most := make([][]int, len(states)), make([][]int64, len(states))
	for i := range states {
		next[i], most[i] = slices.Repeat([]int{-1}, actions), make([]int64, actions)
	}
	total := map[[3]int]int64{} // of transitions that end an episode, and that do not
	for _, t := range transitions {
		at, _ := slices.BinarySearch(states, int(t.State))
		key := [3]int{at, int(t.Action), int(t.Next)}
		total[key] += t.Count
		if total[key] > most[at][t.Action] {
			next[at][t.Action], most[at][t.Action] = int(t.Next), total[key]
		}
	}
	return next
}
