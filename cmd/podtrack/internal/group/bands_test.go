package group

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/stats"

	"pgregory.net/rapid"
)

// TestGrid: the steps ascend from 0 to the total, about equally far from each other.
func TestGrid(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total, parts := rapid.Int64Range(0, 1<<50).Draw(t, "total"), rapid.IntRange(1, 300).Draw(t, "parts")
		steps := grid(total, parts)
		if steps[0] != 0 || steps[len(steps)-1] != total || int64(len(steps)) != min(total, int64(parts))+1 {
			t.Fatalf("%d steps from %d to %d", len(steps), steps[0], steps[len(steps)-1])
		}
		for i, step := range steps[1:] {
			if apart := step - steps[i]; apart < 1 || apart < total/int64(parts) || apart > total/int64(parts)+int64(parts) {
				t.Fatalf("step %d follows %d", step, steps[i])
			}
		}
	})
}

// TestCountVisited counts at each step all visits before it.
func TestCountVisited(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.Int64Range(1, 60).Draw(t, "total")
		steps := grid(rapid.Int64Range(1, 80).Draw(t, "longest"), rapid.IntRange(1, 9).Draw(t, "parts"))
		at := append([]int64{0}, rapid.SliceOf(rapid.Int64Range(0, total)).Draw(t, "steps")...)
		slices.Sort(at)
		var first []explore.FirstVisit
		for i, step := range at {
			first = append(first, explore.FirstVisit{State: i, Steps: step})
		}
		var want []float64
		for _, step := range steps {
			if step <= total {
				n := 0.0
				for i := range at {
					if at[i] <= step {
						n++
					}
				}
				want = append(want, n)
			}
		}
		if got := countVisited(first, steps, total); !slices.Equal(got, want) {
			t.Fatalf("%v at %v of %v, want %v", got, steps, at, want)
		}
	})
}

// reaching returns a group of complete runs of one iteration of 500 steps, which visited half of the states after so
// many steps, 0 for never.
func reaching(first uint64, steps ...int64) Group {
	var runs []run
	for i := range steps {
		runs = append(runs, run{"", seed(first + uint64(i)), []int64{1}})
	}
	g := group("", runs...)
	states := int64(10)
	for _, n := range steps {
		x := &explore.Summary{States: &states, Iterations: []explore.Iteration{{Steps: 500}}}
		if n > 0 {
			x.StepsToHalf = &n
		}
		g.explored = append(g.explored, x)
	}
	return g
}

// TestCensoredMeasures: two of ten runs reached half of the states after 199 steps, and ten of ten after 243. The first
// group is not the faster one: eight of its runs took more than 500 steps, its restricted mean is (2·199 + 8·500) / 10.
func TestCensoredMeasures(t *testing.T) {
	few := reaching(0, 199, 199, 0, 0, 0, 0, 0, 0, 0, 0)
	all := reaching(10, 233, 253, 243, 243, 243, 243, 243, 243, 233, 253)
	c, err := Compare(context.Background(), []Group{few, all}, "", []string{"steps_to_half"})
	if err != nil {
		t.Fatal(err)
	}
	row := c.Measures[0].Iterations[0].Groups
	if a := row[0]; a.N != 10 || a.Censored != 8 || *a.Budget != 500 || math.Abs(*a.Mean-439.8) > 1e-9 {
		t.Errorf("n = %d, %d censored at %v, mean %v", a.N, a.Censored, *a.Budget, *a.Mean)
	}
	if b := row[1]; b.N != 10 || b.Censored != 0 || *b.Budget != 500 || *b.Mean != 243 {
		t.Errorf("n = %d, %d censored, mean %v", b.N, b.Censored, *b.Mean)
	}
	if d := row[1].Against.Difference; math.Abs(d.Value-(243-439.8)) > 1e-9 || *d.High >= 0 {
		t.Errorf("difference %+v", d)
	}
	none := reaching(20, 0, 0, 0)
	several, err := Compare(context.Background(), []Group{few, all, none}, "", []string{"steps_to_half"})
	if err != nil {
		t.Fatal(err)
	}
	groups := several.Measures[0].Iterations[0].Groups
	if groups[1].Against.Verdict != stats.Less || groups[2].Censored != 3 || *groups[2].Mean != 500 {
		t.Errorf("%s, %+v", groups[1].Against.Verdict, groups[2])
	}
}

// TestBudgetIsShared: runs are compared as far as all of them went. One of 500 steps that needed 400 is censored beside
// one of 300 steps.
func TestBudgetIsShared(t *testing.T) {
	long, short := reaching(0, 400, 200), reaching(10, 0, 250)
	for _, x := range short.explored {
		x.Iterations[0].Steps = 300
	}
	s := SummariseAll(nil, []Group{long, short}, []string{"steps_to_half"})
	for i, mean := range []float64{250, 275} {
		if got := s.Groups[i].Measures[0].Iterations[0]; *got.Mean != mean || got.Censored != 1 || *got.Budget != 300 {
			t.Errorf("group %d: mean %v, %d censored at %v", i, *got.Mean, got.Censored, *got.Budget)
		}
	}
	if s := summarise(long, "steps_to_half"); *s.Measures[0].Iterations[0].Mean != 300 {
		t.Error("by itself, the group has its own budget")
	}
	for _, x := range long.explored {
		x.States, x.StepsToHalf = nil, nil
	}
	if got := summarise(long, "steps_to_half").Measures[0].Iterations[0]; got.N != 0 || got.Budget != nil {
		t.Errorf("without a number of states: %+v", got)
	}
}
