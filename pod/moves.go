package pod

import (
	"cmp"
	"maps"
	"slices"
)

// A Move is a transition that was observed.
type Move struct {
	State, Next int32
	Action      uint8
	Terminal    bool // the episode ended in Next
}

// A CountedMove is a move and how often it was observed.
type CountedMove struct {
	Move
	Count int64
}

// Moves are the observed moves, each once, by state, action, next state, and those
// that end no episode first.
type Moves []CountedMove

func compareMoves(a, b CountedMove) int {
	return cmp.Or(cmp.Compare(a.State, b.State), cmp.Compare(a.Action, b.Action), cmp.Compare(a.Next, b.Next), cmp.Compare(ending01(a), ending01(b)))
}

func ending01(m CountedMove) int {
	if m.Terminal {
		return 1
	}
	return 0
}

func newMoves(counts map[Move]int64) Moves {
	moves := make(Moves, 0, len(counts))
	for m := range maps.Keys(counts) {
		moves = append(moves, CountedMove{m, counts[m]})
	}
	slices.SortFunc(moves, compareMoves)
	return moves
}

// Join is the moves of both.
func (m Moves) Join(other Moves) Moves {
	counts := map[Move]int64{}
	for _, c := range slices.Concat(m, other) {
		counts[c.Move] += c.Count
	}
	return newMoves(counts)
}

// dataset is D by the moves: φ(s') − φ(s) as often as each was observed.
func (m Moves) dataset(env Env) Dataset {
	dims := len(env.Features())
	rows := make([]countedRow, len(m))
	for i, c := range m {
		rows[i] = countedRow{make([]float64, dims), c.Count}
		Difference(env, int(c.State), int(c.Next), rows[i].row)
	}
	return newDataset(dims, rows)
}

// Difference sets dst to φ(next) − φ(s).
func Difference(env Env, s, next int, dst []float64) {
	before := make([]float64, len(dst))
	env.Observe(s, before)
	env.Observe(next, dst)
	for i := range dst {
		dst[i] -= before[i]
	}
}

// Observed is the model that moves make of so many states: what was not tried leads
// nowhere, and nothing leads on from where an episode terminated.
func Observed(states, actions int, moves Moves) *Model {
	return newChances(states, actions, func(s, a int) (branches []Branch) {
		i, _ := slices.BinarySearchFunc(moves, CountedMove{Move: Move{State: int32(s), Action: uint8(a), Next: -1}}, compareMoves)
		for ; i < len(moves) && moves[i].State == int32(s) && moves[i].Action == uint8(a); i++ {
			branches = append(branches, Branch{Next: moves[i].Next, Weight: moves[i].Count})
		}
		return branches
	})
}
