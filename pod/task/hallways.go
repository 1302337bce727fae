package task

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// HallwayOptions returns the hand-made options of Sutton, Precup & Singh, "Between MDPs and
// semi-MDPs" (1999), for each room and each of its hallways an option that leads
// from the room, and from its other hallways, to that hallway by a shortest path through the
// room, and ends there. They are ordered by room, then by hallway, both by their first cell.
// With slip an option follows the same policy, and one that is pushed out of its room ends.
//
// A hallway is a free cell between two walls that joins two rooms; a room is a set of
// connected cells that are no hallways, and contains a square of four. The error is
// [schema.ErrSpec] if env is no grid with hallways.
func HallwayOptions(env envs.Env) ([]*schema.Option, error) {
	g, ok := envs.As[*envs.Grid](env)
	if !ok {
		return nil, schema.Hint(fmt.Errorf("%w: options to hallways in an environment without a map of cells",
			schema.ErrSpec), "compare with other baselines")
	}
	h := findHallways(g.Map)
	var options []*schema.Option
	for room := range h.rooms {
		for s := range h.joins {
			if h.isHallwayOf(s, room) {
				options = append(options, h.option(room, s))
			}
		}
	}
	if len(options) == 0 {
		return nil, schema.Hint(fmt.Errorf("%w: options to hallways on a map without hallways between rooms",
			schema.ErrSpec), "use a map such as four-rooms or nine-rooms, or other baselines")
	}
	return options, nil
}

// hallways are the rooms of a map and the cells that join them.
type hallways struct {
	plan   *envs.Map
	roomOf []int // by state, noRoom for a hallway and for cells of no room
	rooms  int
	joins  [][2]int // by state: the rooms on both sides of a hallway, equal if it is none
}

const noRoom = -1

func findHallways(m *envs.Map) *hallways {
	h := &hallways{plan: m, roomOf: make([]int, len(m.Cells)), joins: make([][2]int, len(m.Cells))}
	h.findRooms()
	for s := range m.Cells {
		before, behind, ok := h.passage(s)
		if !ok {
			continue
		}
		switch a, b := h.roomOf[before], h.roomOf[behind]; {
		case a == b:
			h.roomOf[s] = a // a narrow place in a room
		case a != noRoom && b != noRoom:
			h.joins[s] = [2]int{a, b}
		}
	}
	return h
}

// passage returns the two free neighbours of a cell that lies between two walls.
func (h *hallways) passage(s int) (before, behind int, ok bool) {
	for a := range 2 {
		before, behind = h.plan.Neighbor(s, a), h.plan.Neighbor(s, a+2)
		if before >= 0 && behind >= 0 && h.plan.Neighbor(s, 1-a) < 0 && h.plan.Neighbor(s, 3-a) < 0 {
			return before, behind, true
		}
	}
	return 0, 0, false
}

// findRooms numbers the connected sets of cells that are no passages and contain a square.
func (h *hallways) findRooms() {
	narrow := make([]bool, len(h.roomOf))
	for s := range narrow {
		_, _, narrow[s] = h.passage(s)
		h.roomOf[s] = noRoom
	}
	seen := slices.Clone(narrow)
	for s := range seen {
		if seen[s] {
			continue
		}
		var room []int
		isRoom := false
		for inside, steps := range h.distances(s, func(cell int) bool { return !narrow[cell] }) {
			if steps != envs.Never {
				seen[inside], room = true, append(room, inside)
				c := h.plan.Cells[inside]
				isRoom = isRoom || h.plan.StateAt(c.Row, c.Column+1) >= 0 && h.plan.StateAt(c.Row+1, c.Column) >= 0 &&
					h.plan.StateAt(c.Row+1, c.Column+1) >= 0 // the upper left cell of a free square of four
			}
		}
		if !isRoom {
			continue
		}
		for _, s := range room {
			h.roomOf[s] = h.rooms
		}
		h.rooms++
	}
}

// isHallwayOf reports whether a cell is a hallway of a room.
func (h *hallways) isHallwayOf(s, room int) bool {
	return h.joins[s][0] != h.joins[s][1] && slices.Contains(h.joins[s][:], room)
}

// option returns the option that leads through a room to one of its hallways: in each cell the
// first action on a shortest path.
func (h *hallways) option(room, hallway int) *schema.Option {
	o := &schema.Option{Purpose: schema.Purpose{J: room + 1, Sign: 1}, Arity: len(envs.Directions),
		Policy:      slices.Repeat([]int8{schema.Terminate}, len(h.roomOf)),
		Certificate: schema.Certificate{Termination: schema.Proved}}
	distance := h.distances(hallway, func(s int) bool { return h.roomOf[s] == room || h.isHallwayOf(s, room) })
	for s, d := range distance {
		for a := range envs.Directions {
			if next := h.plan.Neighbor(s, a); d > 0 && next >= 0 && distance[next] == d-1 {
				o.Policy[s] = int8(a)
				o.Certificate.Initiation++
				break
			}
		}
	}
	return o
}

// distances returns the steps from each cell to another one through cells that are open, [envs.Never] where there is no
// way.
func (h *hallways) distances(to int, isOpen func(s int) bool) []int32 {
	return envs.CountSteps(to, len(h.roomOf), func(s int, visit func(next int)) {
		h.plan.VisitNeighbors(s, func(next int) {
			if isOpen(next) {
				visit(next)
			}
		})
	})
}
