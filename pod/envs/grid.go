package envs

import (
	"fmt"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/schema"
)

// Grid is a gridworld: the agent goes up, right, down or left, and stays in place at a
// wall or the edge. States are the free cells, row by row.
type Grid struct {
	Map     *Map
	observe string
	slip    int64 // in thousandths
	episode int64 // steps, 0 for no limit
	goal    bool  // reaching the goal ends an episode
	model   func() *Model
	names   func() []string // of the features
}

// The kinds of a grid's observations.
const (
	OneHot       = "one-hot" // a feature a cell
	RowAndColumn = "binary"  // a feature a row and one a column
	Coordinates  = "real"    // the row and the column, as numbers
)

const (
	maxSlip    = 1000
	maxEpisode = 1 << 40
)

func init() {
	registerBuiltin(RegisteredEnv{
		Name:       "grid",
		Version:    1,
		Usage:      "cells between walls; actions up, right, down and left",
		States:     "the cells that are no walls, counted row by row",
		Parameters: gridParameters,
		TextParameters: []TextParameter{
			{Name: MapParameter, Default: "four-rooms",
				Usage: "the map: four-rooms, i-maze, nine-rooms or open; grid:FILE is one of your own"},
			observeParameter,
		},
		Build: newGrid,
	})
}

var episodeParameter = Parameter{Name: "episode", Default: 0, Min: 0, Max: maxEpisode,
	Usage: "steps after which an episode is truncated, 0 for none"}

// gridParameters and observeParameter are parameters of every [Grid].
var gridParameters = []Parameter{
	{Name: "slip", Default: 0, Min: 0, Max: maxSlip,
		Usage: "thousandths of the steps that go in a uniformly drawn direction"},
	episodeParameter,
	{Name: "goal", Default: 0, Min: 0, Max: 1, Usage: "1 if reaching the goal ends an episode"},
}

var observeParameter = TextParameter{Name: "observe", Default: OneHot,
	Values: []string{OneHot, RowAndColumn, Coordinates},
	Usage:  "the features: of each cell, of each row and column, or the row and the column as numbers"}

// MapParameter is the name of the [Grid] parameter that a file can provide.
const MapParameter = "map"

func newGrid(e schema.Env) (Env, error) {
	m, err := resolveMap(e.Text[MapParameter])
	if err != nil {
		return nil, err
	}
	return newGridOf(m, e)
}

// newGridOf returns a grid with a map and the parameters that every grid has.
func newGridOf(m *Map, e schema.Env) (Env, error) {
	g := &Grid{Map: m, observe: e.Text["observe"], slip: e.Params["slip"], episode: e.Params["episode"],
		goal: e.Params["goal"] == 1}
	if g.goal && m.Goal < 0 {
		return nil, schema.Hint(fmt.Errorf("%w: goal 1 on a map without a goal", schema.ErrSpec),
			"mark one cell of the map with G")
	}
	g.model, g.names = sync.OnceValue(g.newModel), sync.OnceValue(g.nameFeatures)
	return g, nil
}

func (g *Grid) newModel() *Model {
	if g.slip == 0 {
		return newModel(g.States(), len(Directions), g.Step)
	}
	return NewStochasticModel(g.States(), len(Directions), func(s, a int) []Branch {
		branches := []Branch{{Next: int32(g.Step(s, a)), Weight: (maxSlip - g.slip) * int64(len(Directions))}}
		for other := range Directions {
			branches = append(branches, Branch{Next: int32(g.Step(s, other)), Weight: g.slip})
		}
		return branches
	})
}

// Directions are the moves of the actions, as rows and columns.
var Directions = [4][2]int{{-1, 0}, {0, 1}, {1, 0}, {0, -1}}

// Heading implements [Plane].
func (g *Grid) Heading(a int) (down, right int) { return Directions[a][0], Directions[a][1] }

// Plan implements [Plane].
func (g *Grid) Plan() *Map { return g.Map }

// States implements [Env].
func (g *Grid) States() int { return len(g.Map.Cells) }

// Actions implements [Env].
func (g *Grid) Actions() []string { return []string{"up", "right", "down", "left"} }

// Start implements [SteppableEnv]: S, or the first free cell.
func (g *Grid) Start() int { return g.Map.Start }

// Step implements [SteppableEnv]: the successor if nothing slips. A goal that ends episodes is
// absorbing.
func (g *Grid) Step(s, a int) int {
	if g.IsTerminal(s) {
		return s
	}
	c := g.Map.Cells[s]
	if next := g.Map.StateAt(c.Row+Directions[a][0], c.Column+Directions[a][1]); next >= 0 {
		return next
	}
	return s
}

// IsTerminal implements [Episodic].
func (g *Grid) IsTerminal(s int) bool { return g.goal && s == g.Map.Goal }

// StartStates implements [Episodic].
func (g *Grid) StartStates() []int { return []int{g.Map.Start} }

// EpisodeLimit implements [Episodic].
func (g *Grid) EpisodeLimit() int64 { return g.episode }

// Features implements [Env].
func (g *Grid) Features() []string { return slices.Clone(g.names()) }

func (g *Grid) nameFeatures() []string {
	switch g.observe {
	case RowAndColumn:
		return slices.Concat(numbered("row", g.Map.Rows), numbered("column", g.Map.Columns))
	case Coordinates:
		return []string{"row", "column"}
	}
	names := make([]string, g.States())
	for s := range names {
		names[s] = g.StateName(s)
	}
	return names
}

// StateName implements [stateNamer].
func (g *Grid) StateName(s int) string { return g.Map.StateName(s) }

// Observe implements [Env].
func (g *Grid) Observe(s int, dst []float64) {
	clear(dst)
	c := g.Map.Cells[s]
	switch g.observe {
	case RowAndColumn:
		dst[c.Row], dst[g.Map.Rows+c.Column] = 1, 1
	case Coordinates:
		dst[0], dst[1] = float64(c.Row), float64(c.Column)
	default:
		dst[s] = 1
	}
}

// Potential implements [Env].
func (g *Grid) Potential(e, w []float64) {
	for s, c := range g.Map.Cells {
		switch g.observe {
		case RowAndColumn:
			w[s] = 0 + e[c.Row] + e[g.Map.Rows+c.Column]
		case Coordinates:
			w[s] = float64(e[0]*float64(c.Row)) + float64(e[1]*float64(c.Column))
		default:
			w[s] = e[s]
		}
	}
}

// Model implements [ModelEnv].
func (g *Grid) Model() *Model { return g.model() }

// Deterministic implements [ModelEnv].
func (g *Grid) Deterministic() bool { return g.slip == 0 }
