package diff

import (
	"testing"

	"github.com/podtrack/podtrack/replay/stats"
)

// TestVerdictsAreApart: a similarity above chance and what runs have in common are two statements, and the first is
// made only where p and the interval beside it say so. Of 216 purposes 209 are found by one seed each.
func TestVerdictsAreApart(t *testing.T) {
	point := func(x float64) *float64 { return &x }
	g := &Clustering{By: Purposes, Level: 0.05}
	for i := range uint64(10) {
		g.Runs = append(g.Runs, Member{Seed: i})
	}
	for i := range 216 {
		g.Purposes = append(g.Purposes, Distinct{Runs: 1})
		if i < 7 {
			g.Purposes[i].Runs = 3
		}
	}
	const small = "7 (3.24 %) of 216 distinct purposes are in two seeds or more, the most common in 3 of 10.\n"
	for _, c := range []struct {
		p       float64
		excess  stats.Deviation
		verdict string
		level   float64
	}{
		// 0.184 ± t(0.975, 9) · 0.0849 = [−0.008, 0.376]
		{0.0001, stats.Deviation{Value: 0.184, Error: 0.0849, Freedom: 9},
			small + "That the similarity of purposes is above chance is not settled in iteration 0 (p ≤ 0.05 and an " +
				"interval that excludes 0).\n" +
				"Strongest in 0: similarity 0.584 (chance 0.400), 0.184 above it [-0.008, 0.376] at 95 %.", 0.95},
		{0.0001, stats.Deviation{Value: 0.184, Error: 0.02, Freedom: 9},
			small + "Similarity of purposes is above chance in iteration 0 (p ≤ 0.05 and an interval that excludes 0).\n" +
				"Strongest in 0: similarity 0.584 (chance 0.400), 0.184 above it [0.139, 0.229] at 95 %.", 0.95},
		{0.06, stats.Deviation{Value: 0.184, Error: 0.02, Freedom: 9},
			small + "That the similarity of purposes is above chance is not settled in iteration 0 (p ≤ 0.05 and an " +
				"interval that excludes 0).\n" +
				"Strongest in 0: similarity 0.584 (chance 0.400), 0.184 above it [0.139, 0.229] at 95 %.", 0.95},
	} {
		g.Iterations = []Agreement{{Of: Purposes, Observed: point(0.584), Chance: point(0.4), P: &c.p}}
		(&agreementTable{excess: []*stats.Deviation{&c.excess}}).settle(g.Iterations)
		if got := verdictOf(g); got != c.verdict || g.Iterations[0].ExcessLevel != c.level {
			t.Errorf("p %v, %v: at %v\n%s\nwant\n%s", c.p, c.excess, g.Iterations[0].ExcessLevel, got, c.verdict)
		}
	}
}
