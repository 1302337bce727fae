package envs

import (
	"bytes"
	_ "embed"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/schema"
)

// AdviceMap is advice of the errors of this file.
const AdviceMap = "name one of the built-in maps, which are %s, or give the text of one"

// A Map is a plan of cells in the format of the published eigenoption code (*.mdp): a
// first line "rows,columns", then one line for each row, of X (wall), . (free), S (start)
// and G (goal).
type Map struct {
	Rows, Columns int
	Cells         []Cell // the free cells, row by row
	Start         int    // index of S, or 0
	Goal          int    // index of G, or −1

	index []int32 // state by cell, −1 for a wall
}

// A Cell is a position, counted from 0 at the top left.
type Cell struct{ Row, Column int }

// MaxCells is the largest number of cells of a map. Its text is part of every spec that
// names it.
const MaxCells = 1 << 14

// The built-in maps: the classic four rooms (Sutton, Precup & Singh,
// 1999), the open and the I-maze of the eigenoptions' authors, and nine rooms.
var (
	//go:embed maps/four-rooms.mdp
	fourRooms string
	//go:embed maps/open.mdp
	openRoom string
	//go:embed maps/i-maze.mdp
	iMaze string
	//go:embed maps/nine-rooms.mdp
	nineRooms string
)

var builtinMaps = map[string]string{"four-rooms": fourRooms, "open": openRoom, "i-maze": iMaze, "nine-rooms": nineRooms}

// MapNames returns the names of the built-in maps, sorted.
func MapNames() []string { return slices.Sorted(maps.Keys(builtinMaps)) }

// resolveMap returns the map that a parameter names or contains.
func resolveMap(text string) (*Map, error) {
	if own, ok := builtinMaps[text]; ok {
		return ReadMap([]byte(own))
	}
	if !strings.Contains(text, "\n") {
		return nil, schema.Hint(fmt.Errorf("%w: map %q", schema.ErrSpec, text),
			AdviceMap, strings.Join(MapNames(), ", "))
	}
	m, err := ReadMap([]byte(text))
	if err == nil && m.String() != text {
		err = fmt.Errorf("%w: a map that is not in its canonical form", schema.ErrSpec)
	}
	return m, err
}

// ReadMap parses a map file.
func ReadMap(data []byte) (*Map, error) {
	m, err := readMap(data)
	if err != nil {
		return nil, schema.Hint(fmt.Errorf("%w: map: %w", schema.ErrSpec, err),
			"the first line is rows,columns; then a line a row of X (wall), . (free), S (start), G (goal)")
	}
	return m, nil
}

func readMap(data []byte) (*Map, error) {
	if len(data) > 4*MaxCells {
		return nil, fmt.Errorf("%d bytes are more than a map of %d cells can have", len(data), MaxCells)
	}
	lines := strings.Split(strings.TrimRight(string(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))), "\n"), "\n")
	m := &Map{Goal: -1, Start: -1}
	rows, columns, _ := strings.Cut(lines[0], ",")
	var err1, err2 error
	m.Rows, err1 = strconv.Atoi(strings.TrimSpace(rows))
	m.Columns, err2 = strconv.Atoi(strings.TrimSpace(columns))
	if err1 != nil || err2 != nil || m.Rows < 1 || m.Columns < 1 || m.Rows > MaxCells || m.Columns > MaxCells ||
		m.Rows*m.Columns > MaxCells {
		return nil, fmt.Errorf("invalid size %.40q: want ROWS,COLUMNS of up to %d cells in all", lines[0], MaxCells)
	}
	if len(lines)-1 != m.Rows {
		return nil, fmt.Errorf("%d rows of cells, but the first line says %d", len(lines)-1, m.Rows)
	}
	for row, line := range lines[1:] {
		if err := m.addRow(row, line); err != nil {
			return nil, fmt.Errorf("row %d: %w", row, err)
		}
	}
	if len(m.Cells) == 0 {
		return nil, fmt.Errorf("no cell is free")
	}
	m.Start = max(m.Start, 0)
	return m, nil
}

func (m *Map) addRow(row int, line string) error {
	if len(line) != m.Columns {
		return fmt.Errorf("%d cells, but the first line says %d", len(line), m.Columns)
	}
	for column, what := range []byte(line) {
		if what == 'X' {
			m.index = append(m.index, -1)
			continue
		}
		s := len(m.Cells)
		var mark *int
		switch what {
		case 'S':
			mark = &m.Start
		case 'G':
			mark = &m.Goal
		}
		switch {
		case mark == nil && what != '.':
			return fmt.Errorf("invalid cell %q in column %d", what, column)
		case mark != nil && *mark >= 0:
			return fmt.Errorf("a second %c in column %d", what, column)
		case mark != nil:
			*mark = s
		}
		m.index = append(m.index, int32(s))
		m.Cells = append(m.Cells, Cell{row, column})
	}
	return nil
}

// StateAt returns the state of a cell, or −1 for a wall and beyond the edge.
func (m *Map) StateAt(row, column int) int {
	if row < 0 || row >= m.Rows || column < 0 || column >= m.Columns {
		return -1
	}
	return int(m.index[row*m.Columns+column])
}

// Neighbor returns the state of the next cell in one of [Directions], or −1 for a wall and beyond the edge.
func (m *Map) Neighbor(s, direction int) int {
	c := m.Cells[s]
	return m.StateAt(c.Row+Directions[direction][0], c.Column+Directions[direction][1])
}

// VisitNeighbors calls visit for the state of each free cell beside that of s.
func (m *Map) VisitNeighbors(s int, visit func(next int)) {
	for d := range Directions {
		if next := m.Neighbor(s, d); next >= 0 {
			visit(next)
		}
	}
}

// StateName returns the name of a state, by its row and column.
func (m *Map) StateName(s int) string {
	return fmt.Sprintf("r%dc%d", m.Cells[s].Row, m.Cells[s].Column)
}

// String returns the map file in its canonical form.
func (m *Map) String() string {
	b := fmt.Appendf(nil, "%d,%d\n", m.Rows, m.Columns)
	for row := range m.Rows {
		for column := range m.Columns {
			mark := byte('.')
			switch m.StateAt(row, column) {
			case -1:
				mark = 'X'
			case m.Goal:
				mark = 'G'
			case m.Start:
				mark = 'S'
			}
			b = append(b, mark)
		}
		b = append(b, '\n')
	}
	return string(slices.Clip(b))
}
