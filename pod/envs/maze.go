package envs

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

func init() {
	registerBuiltin(RegisteredEnv{
		Name:    "maze",
		Version: 1,
		Usage:   "a grid whose map is made from a kind, a size and a seed; the goal is the cell farthest from the start",
		States:  "the cells that are no walls, counted row by row",
		Parameters: slices.Concat([]Parameter{
			{Name: "size", Default: 8, Min: 2, Max: maxMazeSize,
				Usage: "the cells on a side; with walls between them the map has 2·size − 1 rows and columns"},
			{Name: "maze_seed", Default: 0, Min: 0, Max: maxMazeSeed,
				Usage: "the seed that the maze is drawn with, whatever the seed of the run"},
		}, gridParameters),
		TextParameters: []TextParameter{
			{Name: "kind", Default: "perfect", Values: mazeNames(), Usage: "what is carved"},
			observeParameter,
		},
		Build: newMaze,
	})
}

const (
	maxMazeSize = 64        // at most MaxCells cells of a map
	maxMazeSeed = 1<<53 - 1 // every language has the whole numbers up to here

	// mazeStream is the use of the stream that a maze is drawn from.
	mazeStream = "maze"

	// roomPeriod is the number of rows from one room to the next: those of the room, and a wall.
	roomPeriod = 6
)

// mazeKinds are the kinds of mazes. The functions of those that are not drawn ignore the stream.
var mazeKinds = []struct {
	name  string
	drawn bool
	carve func(size int, draw *rng.Stream) mazePlan
}{
	{"perfect", true, carvePerfect},
	{"braided", true, carveBraided},
	{"spiral", false, carveSpiral},
	{"comb", false, carveComb},
	{"corridor", false, carveCorridor},
	{"rooms", true, carveRooms},
}

func mazeNames() (names []string) {
	for _, k := range mazeKinds {
		names = append(names, k.name)
	}
	return names
}

func newMaze(e schema.Env) (Env, error) {
	seed := e.Params["maze_seed"]
	kind := mazeKinds[slices.Index(mazeNames(), e.Text["kind"])]
	if !kind.drawn && seed != 0 {
		return nil, schema.Hint(fmt.Errorf("%w: maze_seed %d of a %s", schema.ErrSpec, seed, kind.name),
			"nothing in a %s is drawn: it has maze_seed 0", kind.name)
	}
	p := kind.carve(int(e.Params["size"]), rng.NewStream(uint64(seed), 0, mazeStream))
	m, err := ReadMap(fmt.Appendf(nil, "%d,%d\n%s", len(p), len(p[0]), bytes.Join(p, []byte("\n"))))
	if err != nil {
		return nil, err
	}
	distances := CountSteps(m.Start, len(m.Cells), m.VisitNeighbors)
	m.Goal = slices.Index(distances, slices.Max(distances)) // the first of those that are farthest from the first cell
	return newGridOf(m, e)
}

// A mazePlan is a maze in the making: its rows of cells, '.' or 'X' as in a [Map]. The lattice of a maze are the
// cells in even rows and columns. Between two neighbours is a wall, until a passage is carved.
type mazePlan [][]byte

// newLattice returns the plan of a lattice in which nothing is carved.
func newLattice(size int) mazePlan {
	p := make(mazePlan, 2*size-1)
	for row := range p {
		p[row] = bytes.Repeat([]byte{'X'}, 2*size-1)
	}
	return p
}

// isCarved reports whether a cell of the lattice has been carved.
func (p mazePlan) isCarved(c Cell) bool { return p[c.Row][c.Column] == '.' }

// between returns the cell of the map that is between two neighbours of the lattice.
func between(a, b Cell) Cell { return Cell{(a.Row + b.Row) / 2, (a.Column + b.Column) / 2} }

func (p mazePlan) carve(cells ...Cell) {
	for _, c := range cells {
		p[c.Row][c.Column] = '.'
	}
}

// neighbor returns the next cell of the lattice in a direction, and whether there is one.
func (p mazePlan) neighbor(c Cell, direction int) (Cell, bool) {
	next := Cell{c.Row + 2*Directions[direction][0], c.Column + 2*Directions[direction][1]}
	return next, next.Row >= 0 && next.Row < len(p) && next.Column >= 0 && next.Column < len(p)
}

// carvePerfect carves a spanning tree of the lattice by depth-first search: on to a drawn neighbour that is not carved
// yet, and back where there is none.
func carvePerfect(size int, draw *rng.Stream) mazePlan {
	p := newLattice(size)
	path := []Cell{{}}
	p.carve(path[0])
	for len(path) > 0 {
		at := path[len(path)-1]
		var ahead []Cell
		for d := range Directions {
			if next, ok := p.neighbor(at, d); ok && !p.isCarved(next) {
				ahead = append(ahead, next)
			}
		}
		if len(ahead) == 0 {
			path = path[:len(path)-1]
			continue
		}
		next := ahead[draw.Below(len(ahead))]
		p.carve(between(at, next), next)
		path = append(path, next)
	}
	return p
}

// carveBraided carves a perfect maze, and then, row by row, a second passage from each dead end to a drawn neighbour.
func carveBraided(size int, draw *rng.Stream) mazePlan {
	p := carvePerfect(size, draw)
	for row := 0; row < len(p); row += 2 {
		for column := 0; column < len(p); column += 2 {
			var walls []Cell
			passages := 0
			for d := range Directions {
				next, ok := p.neighbor(Cell{row, column}, d)
				switch wall := between(Cell{row, column}, next); {
				case ok && p.isCarved(wall):
					passages++
				case ok:
					walls = append(walls, wall)
				}
			}
			if passages == 1 {
				p.carve(walls[draw.Below(len(walls))])
			}
		}
	}
	return p
}

// carveSpiral carves a path from the first cell along the edge, and inwards.
func carveSpiral(size int, _ *rng.Stream) mazePlan {
	p := newLattice(size)
	at, direction := Cell{}, slices.Index(Directions[:], [2]int{0, 1})
	p.carve(at)
	for turns := 0; turns < 2; {
		next, ok := p.neighbor(at, direction)
		if !ok || p.isCarved(next) {
			direction = (direction + 1) % len(Directions)
			turns++
			continue
		}
		p.carve(between(at, next), next)
		at, turns = next, 0
	}
	return p
}

// carveComb carves the first row, and every second column.
func carveComb(size int, _ *rng.Stream) mazePlan {
	p := newLattice(size)
	for row := range p {
		for column := range p {
			if row == 0 || column%2 == 0 {
				p.carve(Cell{row, column})
			}
		}
	}
	return p
}

// carveCorridor returns a straight corridor with as many cells as a spiral: the same graph, without turns.
func carveCorridor(size int, _ *rng.Stream) mazePlan {
	return mazePlan{bytes.Repeat([]byte{'.'}, 2*size*size-1)}
}

// carveRooms carves rooms of 5 by 5 cells, the last ones as far as there is space, and a door at a drawn place between
// any two that are side by side, row by row, the one to the right first.
func carveRooms(size int, draw *rng.Stream) mazePlan {
	p := newLattice(size)
	isWall := func(i int) bool { return i%roomPeriod == roomPeriod-1 }
	for row := range p {
		for column := range p {
			if !isWall(row) && !isWall(column) {
				p.carve(Cell{row, column})
			}
		}
	}
	for top := 0; top < len(p); top += roomPeriod {
		for left := 0; left < len(p); left += roomPeriod {
			if wall := left + roomPeriod - 1; wall < len(p) {
				p.carve(Cell{top + draw.Below(min(roomPeriod-1, len(p)-top)), wall})
			}
			if wall := top + roomPeriod - 1; wall < len(p) {
				p.carve(Cell{wall, left + draw.Below(min(roomPeriod-1, len(p)-left))})
			}
		}
	}
	return p
}
