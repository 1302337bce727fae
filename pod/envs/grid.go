package envs

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// Grid is a gridworld: the agent goes up, right, down or left, and stays in place at a
// wall or the edge. States are the free cells, row by row.
type Grid struct {
	*graphEnv
	Map     *Map
	observe string
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
	goal, slip := e.Params["goal"] == 1, e.Params["slip"]
	if goal && m.Goal < 0 {
		return nil, schema.Hint(fmt.Errorf("%w: goal 1 on a map without a goal", schema.ErrSpec),
			"mark one cell of the map with G")
	}
	g := &Grid{Map: m, observe: e.Text["observe"]}
	graph := Graph{States: len(m.Cells), Actions: []string{"up", "right", "down", "left"}, Starts: []int{m.Start},
		StateName: m.StateName, EpisodeLimit: e.Params["episode"]}
	if goal {
		graph.IsTerminal = func(s int) bool { return s == m.Goal }
	}
	switch g.observe {
	case RowAndColumn:
		graph.Features = slices.Concat(numbered("row", m.Rows), numbered("column", m.Columns))
		graph.Observe = func(s int, dst []float64) {
			clear(dst)
			dst[m.Cells[s].Row], dst[m.Rows+m.Cells[s].Column] = 1, 1
		}
	case Coordinates:
		graph.Features = []string{"row", "column"}
		graph.Observe = func(s int, dst []float64) {
			dst[0], dst[1] = float64(m.Cells[s].Row), float64(m.Cells[s].Column)
		}
	}
	if slip == 0 {
		graph.Step = g.Step
	}
	g.graphEnv = newGraphEnv(graph)
	branches := func(s, a int) []Branch {
		all := []Branch{{Next: int32(g.Step(s, a)), Weight: (maxSlip - slip) * int64(len(Directions))}}
		for other := range Directions {
			all = append(all, Branch{Next: int32(g.Step(s, other)), Weight: slip})
		}
		return all
	}
	if slip > 0 {
		g.build = func(ctx context.Context) (*Model, error) {
			return NewStochasticModel(g.States(), len(Directions), branches), ctx.Err()
		}
	}
	return g, nil
}

// Directions are the moves of the actions, as rows and columns.
var Directions = [4][2]int{{-1, 0}, {0, 1}, {1, 0}, {0, -1}}

// Step implements [SteppableEnv]: the successor if nothing slips. A goal that ends episodes is
// absorbing.
func (g *Grid) Step(s, a int) int {
	if next := g.Map.Neighbor(s, a); next >= 0 && !g.IsTerminal(s) {
		return next
	}
	return s
}

// Distances implements [Metric], by moves that do not slip, even if the slip is so large that these are not the
// likeliest.
func (g *Grid) Distances(s int) []int32 {
	return CountSteps(s, g.States(), func(s int, visit func(next int)) {
		if !g.IsTerminal(s) {
			g.Map.VisitNeighbors(s, visit)
		}
	})
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
