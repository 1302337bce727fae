package group

import (
	"math"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
)

// TestSummariseOutcomes: a run without an outcome is left out, a censored one counts with the budget, beyond which the
// interval of the mean does not go.
func TestSummariseOutcomes(t *testing.T) {
	of := func(value float64, censored bool) Outcome { return Outcome{Value: &value, censored: censored} }
	positive := valueRange{0, math.Inf(1)}
	s := summariseOutcomes([]Outcome{of(500, true), of(20, false), {}, of(500, true), of(500, true)}, positive)
	if s.N != 4 || *s.Mean != 380 || s.Censored != 3 || *s.Budget != 500 || *s.High != 500 || *s.Low != 0 {
		t.Errorf("%+v: from %g to %g", s, *s.Low, *s.High)
	}
	if s = summariseOutcomes([]Outcome{of(1, false), of(3, false)}, positive); s.Censored != 0 || s.Budget != nil ||
		*s.Low != 0 {
		t.Errorf("%+v", s)
	}
}

// TestWithinWhatCanBe: of 104 states no interval goes beyond 104, nor does that of a difference; a measure that is not
// podtrack's may be any number.
func TestWithinWhatCanBe(t *testing.T) {
	grid, err := envs.DefaultEnv("grid")
	if err != nil {
		t.Fatal(err)
	}
	grid.Text["map"] = "four-rooms"
	rooms := report.Run{Spec: schema.Spec{Env: grid}}
	if n := countStates([]report.Run{rooms, rooms}); n != 104 {
		t.Errorf("four rooms have %g states, not 104", n)
	}
	g := Group{runs: []report.Run{rooms, rooms, rooms}, states: 104}
	for _, n := range []int64{104, 104, 103} {
		g.histories = append(g.histories, []schema.Measures{{StatesVisited: n}})
	}
	// Student's t of 2 degrees of freedom at 95 % is 4.30 standard errors of 1/3: 103.67 ± 1.43
	if s := g.summary("states_visited", 0); *s.High != 104 || math.Abs(*s.Low-102.232) > 0.001 {
		t.Errorf("the interval is %g to %g", *s.Low, *s.High)
	}
	for measure, want := range map[string]valueRange{"covered_share": {0, 1}, "covered": {0, 104},
		"distance": {0, math.Inf(1)}, "mine": {math.Inf(-1), math.Inf(1)}} {
		if got := g.rangeOf(measure); got != want {
			t.Errorf("%s is within %v, not %v", measure, got, want)
		}
	}
	of := stats.Compare([]float64{0, 104}, []float64{104, 0}, 0.95)
	if g.rangeOf("covered").clip(&of); *of.Difference.Low != -104 || *of.Difference.High != 104 {
		t.Errorf("a difference is within %g and %g", *of.Difference.Low, *of.Difference.High)
	}
}

// TestCeiling: where all values are the most that there is, a comparison says so, in every form.
func TestCeiling(t *testing.T) {
	states := valueRange{0, 104}
	if got := states.ceiling("covered", 104, 104, 104); got != "all 3 runs at the ceiling (104 of 104 states)" {
		t.Errorf("at the ceiling: %q", got)
	}
	if got := (valueRange{0, 1}).ceiling("covered_share", 1, 1); got != "all 2 runs at the ceiling (a share of 1)" {
		t.Errorf("shares at the ceiling: %q", got)
	}
	unknown := valueRange{0, math.Inf(1)}
	if got := states.ceiling("covered", 104, 103) + states.ceiling("covered") + unknown.ceiling("calls", 7, 7); got != "" {
		t.Errorf("below it: %q", got)
	}
	full := func() Group {
		g := Group{states: 104}
		for seed := range uint64(2) {
			g.runs = append(g.runs, report.Run{Spec: schema.Spec{Seed: seed}})
			g.histories = append(g.histories, []schema.Measures{{StatesVisited: 104}})
		}
		return g
	}
	c, err := Compare(t.Context(), []Group{full(), full()}, "", []string{"states_visited"})
	if err != nil {
		t.Fatal(err)
	}
	against := c.Measures[0].Iterations[0].Groups[1].Against
	if against.Verdict != stats.Untested || against.Ceiling != "all 4 runs at the ceiling (104 of 104 states)" {
		t.Errorf("the verdict is %q, %q", against.Verdict, against.Ceiling)
	}
	if !slices.Equal(c.Environments, []string{}) {
		t.Error(c.Environments)
	}
}
