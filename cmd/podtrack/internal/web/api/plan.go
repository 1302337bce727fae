package api

import (
	"github.com/podtrack/podtrack/pod/envs"
)

// plan is a map of a grid: where its states lie.
type plan struct {
	Rows     int      `json:"rows"`
	Columns  int      `json:"columns"`
	Cells    [][2]int `json:"cells"`    // row and column, by state; all other cells are walls
	Headings [][2]int `json:"headings"` // rows downwards and columns to the right, by action
	Start    int      `json:"start"`    // state
	Goal     int      `json:"goal"`     // state, −1 for none
}

// planOf returns the map of an environment, nil if its states have no place on a plane.
func planOf(env envs.Env) *plan {
	plane, ok := envs.As[envs.Plane](env)
	if !ok {
		return nil
	}
	m := plane.Plan()
	p := &plan{Rows: m.Rows, Columns: m.Columns, Cells: make([][2]int, len(m.Cells)), Start: m.Start, Goal: m.Goal}
	for s, c := range m.Cells {
		p.Cells[s] = [2]int{c.Row, c.Column}
	}
	for a := range env.Actions() {
		down, right := plane.Heading(a)
		p.Headings = append(p.Headings, [2]int{down, right})
	}
	return p
}
