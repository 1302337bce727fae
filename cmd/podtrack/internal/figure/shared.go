package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// SharedOptions shows the options that most runs of a group found: each as a small map on a grid, else as a strip.
type SharedOptions struct {
	Runs   int             // in the group
	Shared int             // options that several of them found
	Found  []diff.Distinct // those that are drawn, the most shared first
	Drawn  []Figure        // of each, its representative: a gridOption or a lineOption
}

// As many options fill a page, or fewer, if they have more states together.
const maxShared, maxSharedStates = 24, 20_000

// ReadShared reads the options that most runs found. open opens the run that a reference names.
func ReadShared(g diff.Clustering, open func(run string) (Source, error), bins Bins) (s SharedOptions, err error) {
	s.Runs, bins.Whole = len(g.Runs), true
	states := 0
	for _, d := range g.Distinct() {
		if d.Runs < 2 {
			break
		}
		if s.Shared++; s.Shared > maxShared || states > maxSharedStates {
			continue
		}
		ref, err := report.ParseRefOf(d.Name, report.RefOption)
		if err != nil {
			return s, err
		}
		run, err := open(ref.Run)
		if err != nil {
			return s, err
		}
		if _, ok := envs.As[envs.GrowingEnv](run.Env); ok {
			return s, schema.Hint(fmt.Errorf("%w: each run numbers those that it observed by itself", ErrStates),
				"podtrack diff --group FILTER --matrix members lists what several runs found")
		}
		drawn, err := ReadOption(run, ref, bins)
		if err != nil {
			return s, err
		}
		s.Found, s.Drawn, states = append(s.Found, d), append(s.Drawn, drawn), states+run.Env.States()
	}
	if s.Shared == 0 {
		err = schema.Hint(fmt.Errorf("%w: no two of %d runs found the same option", ErrEmpty, s.Runs),
			"choose more runs, or a lower --agreement")
	}
	return s, err
}

// Table implements [Figure].
func (s SharedOptions) Table() (t DataTable) {
	for i, d := range s.Found {
		of := s.Drawn[i].Table()
		t.Columns = append([]string{"option", "end", "runs", "of", "sigma_low", "sigma_high"}, of.Columns...)
		for _, row := range of.Rows {
			t.add(d.Name, d.End, d.Runs, s.Runs, d.SigmaLow, d.SigmaHigh, row)
		}
	}
	return t
}

func (s SharedOptions) caption() string {
	return s.chart().Title + ": the most shared first, each with the state in which it ends and how many runs found it."
}

func (s SharedOptions) chart() chart.Chart {
	c := chart.Chart{Columns: 1, Shared: true,
		Title: fmt.Sprintf("Options that several of %d runs found, %d of %d", s.Runs, len(s.Found), s.Shared)}
	for i, d := range s.Found {
		one := s.Drawn[i].chart()
		p, name := one.Panels[len(one.Panels)-1], fmt.Sprintf("%s, %d of %d", d.End, d.Runs, s.Runs)
		p.Fixed, c.Keys = true, one.Keys
		if grid, ok := s.Drawn[i].(gridOption); ok {
			c.Columns, c.Narrow, c.Shared, c.Scale = 6, 3, false, one.Scale
			c.Scale.High = "its largest"
			p.X, p.Y, p.Title = p.X.Bare(), p.Y.Bare(), name
			ends := chart.Dots{Ink: chart.Foreground, Glyph: chart.Disc, Size: min(1.6, 20/float64(grid.Plan.Columns))}
			for state, at := range grid.Plan.points() {
				if grid.Policy[state] == schema.Terminate {
					ends.Points = append(ends.Points, at)
				}
			}
			p.Marks = append(p.Marks[:len(p.Marks)-1], ends) // arrows would be too small to read
		} else {
			p.Height, p.Y.Label, p.Y.Names, p.Y.Ticks = 12, "", true, []chart.Tick{{At: 0.5, Text: name}}
		}
		c.Panels = append(c.Panels, p)
	}
	return c
}
