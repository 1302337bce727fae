package task

import (
	"errors"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// Four rooms have four hallways and eight options (Sutton, Precup & Singh 1999, section 2), nine
// rooms twelve and 24. Each leads to its hallway by a shortest path, from all cells of the room and
// from the other hallways.
func TestHallwayOptions(t *testing.T) {
	for name, want := range map[string]struct{ options, rooms, hallways int }{
		"four-rooms": {8, 4, 4}, "nine-rooms": {24, 9, 12},
	} {
		env := podtest.Grid(t, name, 0)
		g := env.(*envs.Grid)
		options, err := HallwayOptions(env)
		if err != nil || len(options) != want.options {
			t.Fatalf("%s: %d options, %v", name, len(options), err)
		}
		h, ends := findHallways(g.Map), map[int]int{}
		if h.rooms != want.rooms {
			t.Errorf("%s: %d rooms", name, h.rooms)
		}
		for i, o := range options {
			last := -1
			for s := range o.Policy {
				if !o.CanStart(s) {
					continue
				}
				end, steps := s, 0
				for ; o.CanStart(end); steps++ {
					end = g.Step(end, int(o.Policy[end]))
				}
				if last >= 0 && end != last {
					t.Fatalf("%s, option %d ends in %d and in %d", name, i, last, end)
				}
				if last = end; int32(steps) != env.Model().StepsTo(end)[s] {
					t.Errorf("%s, option %d takes %d steps from %d to %d", name, i, steps, s, end)
				}
			}
			ends[last]++
		}
		if len(ends) != want.hallways {
			t.Errorf("%s: options end in %d states", name, len(ends))
		}
		for s, n := range ends {
			if n != 2 {
				t.Errorf("%s: %d options end in hallway %d", name, n, s)
			}
		}
	}
}

// TestHallwaysOfFourRooms: they are the doors of the published map, and the first option leads from
// the upper left room, of 25 cells, and from its other door.
func TestHallwaysOfFourRooms(t *testing.T) {
	env := podtest.Grid(t, "four-rooms", 0)
	g := env.(*envs.Grid)
	options, err := HallwayOptions(env)
	if err != nil {
		t.Fatal(err)
	}
	h := findHallways(g.Map)
	var doors []envs.Cell
	for s, j := range h.joins {
		if j[0] != j[1] {
			doors = append(doors, g.Map.Cells[s])
		}
	}
	want := []envs.Cell{{Row: 3, Column: 6}, {Row: 6, Column: 2}, {Row: 7, Column: 9}, {Row: 10, Column: 6}}
	if len(doors) != 4 || doors[0] != want[0] || doors[1] != want[1] || doors[2] != want[2] || doors[3] != want[3] {
		t.Errorf("doors %v, want %v", doors, want)
	}
	if n := options[0].Certificate.Initiation; n != 26 || !options[0].CanStart(g.Map.StateAt(6, 2)) ||
		options[0].CanStart(g.Map.StateAt(3, 6)) {
		t.Errorf("the first option starts in %d states", n)
	}
}

// TestNoHallways: narrow places within a room and corridors are none.
func TestNoHallways(t *testing.T) {
	for _, text := range []string{"open", "i-maze", "1,5\nS...G\n", "4,4\nS...\n.X..\n....\n....\n",
		"5,5\nS....\n.....\nXX.XX\nXX.XX\n.....\n"} {
		if _, err := HallwayOptions(podtest.Grid(t, text, 0)); !errors.Is(err, schema.ErrSpec) || schema.Remedy(err) == "" {
			t.Errorf("%q: %v", text, err)
		}
	}
	ring, err := envs.NewEnv(podtest.PaperSpec().Env)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := HallwayOptions(ring); !errors.Is(err, schema.ErrSpec) {
		t.Errorf("the ring: %v", err)
	}
	o, err := HallwayOptions(podtest.Grid(t, "5,5\nS....\n.....\nXX.XX\n.....\n.....\n", 200))
	if err != nil || len(o) != 2 {
		t.Errorf("two rooms with slip: %d options, %v", len(o), err)
	}
}
