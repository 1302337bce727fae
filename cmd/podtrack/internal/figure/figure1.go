package figure

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
)

// Figure1 shows the paper's Figure 1: a walk under each observability.
type Figure1 struct {
	Reading string  `json:"reading"`
	Seed    uint64  `json:"seed"`
	Panels  []Panel `json:"panels"`
}

// Panel is the walk under one observability.
type Panel struct {
	Observability string `json:"observability"`
	Walk
}

// podName is the name of the walk with options.
const podName = "POD"

// AddPanel reads the walk of a run and that of primitive actions beside it.
func (f *Figure1) AddPanel(ctx context.Context, observability string, run Source, columns int) error {
	w, err := ReadWalks(ctx, []Source{run}, true, columns)
	if err != nil {
		return err
	}
	w.Tracks[0].Name = podName
	f.Panels = append(f.Panels, Panel{observability, w})
	return nil
}

// Table implements [Figure].
func (f Figure1) Table() DataTable {
	t := DataTable{Columns: []string{"observability", "track", "iteration", "step", "position"}}
	for _, p := range f.Panels {
		for _, track := range p.Tracks {
			track.rows(&t, []string{p.Observability})
		}
	}
	return t
}

func (f Figure1) caption() string {
	return fmt.Sprintf("Position over time of the agent with primitive actions and of POD, under full and partial "+
		"observability (%s, seed %d): steps to the right of the first state, not wrapped round, against steps.", f.Reading,
		f.Seed)
}

func (f Figure1) chart() chart.Chart {
	c := chart.Chart{Columns: 2, Narrow: 1, Shared: true, SharedY: true,
		Title: fmt.Sprintf("Random walks: primitive actions and discovered options (%s, seed %d)", f.Reading, f.Seed)}
	both := chart.EmptyAxis("")
	for _, p := range f.Panels {
		drawn := p.panel()
		drawn.Title, drawn.Aspect = p.Observability+" observability", 0.6
		both.Include(drawn.Y.Low, drawn.Y.High)
		c.Keys = p.keys()
		c.Panels = append(c.Panels, drawn)
	}
	for i := range c.Panels { // one scale, so that the panels compare
		c.Panels[i].Y.Low, c.Panels[i].Y.High = both.Low, both.High
	}
	return c
}
