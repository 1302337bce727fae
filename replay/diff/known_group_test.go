package diff

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// comparisonOf returns the comparison of a group without runs, to be given sets by hand.
func comparisonOf(m *metric) *groupComparison {
	return &groupComparison{
		metric: m, limits: Limits{}.WithDefaults(), out: &Clustering{Draws: 999, Level: 0.05, By: Purposes},
		progress: func(float64) {},
	}
}

// known returns the comparison of hand-made sets of directions, by run and iteration.
func known(t testing.TB, m *metric, runs [][][][]float64) Clustering {
	t.Helper()
	c := comparisonOf(m)
	d, items := c.newDirectionPool()
	for run, byK := range runs {
		c.addRun()
		var sets [][]int
		for k, vectors := range byK {
			set := []int{}
			for j, v := range vectors {
				set = append(set, items.add(m.Image(v)))
				d.found = append(d.found, foundItem{run: run, k: k, ref: fmt.Sprintf("%d:%d/%d+", run, k, j+1), vector: v})
			}
			sets = append(sets, set)
		}
		d.sets = append(d.sets, sets)
	}
	var err error
	c.out.Purposes, c.out.Similarity, err = c.compare(t.Context(), d)
	ok(t, err)
	c.out.Sharing, err = d.sharing(t.Context(), c.out.Purposes)
	ok(t, err)
	c.out.Verdict = verdictOf(c.out)
	return *c.out
}

func (g *groupComparison) addRun() {
	g.runs = append(g.runs, nil)
	g.out.Runs = append(g.out.Runs, Member{Seed: uint64(len(g.runs))})
}

// repeated returns the same sets for every run, each changed by change.
func repeated(runs int, sets [][][]float64, change func(run int, v []float64) []float64) (all [][][][]float64) {
	for run := range runs {
		var byK [][][]float64
		for _, set := range sets {
			var changed [][]float64
			for _, v := range set {
				changed = append(changed, change(run, v))
			}
			byK = append(byK, changed)
		}
		all = append(all, byK)
	}
	return all
}

func unchanged(_ int, v []float64) []float64 { return v }

// TestKnownGroups has groups of which the answer is known by construction. The smallest p of 999 draws is 1/1000, and
// as a draw of 6 of 46 sets is the observed one with a probability of 1e-7, p is 1/1000 where seeds agree fully.
func TestKnownGroups(t *testing.T) {
	m := plain(t, 12)
	sets := [][][]float64{orthonormal(1, 4, 12), orthonormal(2, 6, 12)}
	turned := func(run int, angle float64) [][]float64 { // by an angle, two by two, in the plane of the two
		s := source{}
		for _, v := range sets[0] {
			s.directions = append(s.directions, sourceDirection{vector: v})
		}
		var list [][]float64
		for _, d := range rotated(s, 0, float64(run)*angle).directions {
			list = append(list, d.vector)
		}
		return list
	}
	var rotatedRuns, halves [][][][]float64
	for run := range 2 {
		rotatedRuns = append(rotatedRuns, [][][]float64{turned(run, math.Pi/4)})
	}
	own := orthonormal(3, 12, 12)
	for run := range 3 { // two of the four are everybody's, two are orthogonal to all others
		halves = append(halves, [][][]float64{{own[0], own[1], own[2+2*run], own[3+2*run]}})
	}
	for _, c := range []struct {
		name     string
		runs     [][][][]float64
		observed []float64
		p        []float64 // nil for not known
		distinct []int     // runs of each distinct purpose
		verdict  string
	}{
		{
			"identical", repeated(6, sets, unchanged), []float64{1, 1}, []float64{0.001, 0.001}, slices.Repeat([]int{6}, 10),
			"Similarity of purposes is above chance in iterations 0 and 1 (p ≤ 0.05 and an interval that excludes 0, " +
				"adjusted for 2 tests).",
		},
		{
			"relabelled signs", repeated(6, sets, func(run int, v []float64) []float64 {
				if run%2 == 1 {
					return negated(v)
				}
				return v
			}), []float64{1, 1}, []float64{0.001, 0.001}, slices.Repeat([]int{6}, 10),
			"Similarity of purposes is above chance in iterations 0 and 1 (p ≤ 0.05 and an interval that excludes 0, " +
				"adjusted for 2 tests).",
		},
		// Turned by 45° within planes, both directions of one are as like to one of the other: cos 45°.
		{
			"rotated", rotatedRuns, []float64{math.Sqrt(0.5)}, nil, slices.Repeat([]int{1}, 8),
			"0 (0 %) of 8 distinct purposes are in both seeds; whether this is above chance is not settled (the most " +
				"common of random directions: in 1.0 on average, at most 1 in 95 % of 999 draws).\n",
		},
		{
			"half", halves, []float64{0.5}, nil, []int{3, 3, 1, 1, 1, 1, 1, 1},
			"2 (25 %) of 8 distinct purposes are in two seeds or more, 2 in all 3; this is above chance (the most common " +
				"of random directions: in 1.0 on average, at most 1 in 95 % of 999 draws).\n",
		},
	} {
		g := known(t, m, c.runs)
		for k, want := range c.observed {
			closeTo(t, c.name+": observed", *g.Iterations[k].Observed, want)
			if c.p != nil && *g.Iterations[k].P != c.p[k] {
				t.Errorf("%s: p = %v, want %v", c.name, *g.Iterations[k].P, c.p[k])
			}
		}
		var runs []int
		for _, d := range g.Purposes {
			runs = append(runs, d.Runs)
		}
		if !slices.Equal(runs, c.distinct) || !strings.Contains(g.Verdict, c.verdict) {
			t.Errorf("%s: shared by %v, want %v; %s", c.name, runs, c.distinct, g.Verdict)
		}
	}
}

// TestAgreementBeyondChance: in iteration 0 the seeds have the same set, in the others random ones, and that is what
// the verdict says.
func TestAgreementBeyondChance(t *testing.T) {
	m := plain(t, 12)
	var runs [][][][]float64
	for run := range uint64(8) {
		runs = append(runs, [][][]float64{orthonormal(1, 4, 12), orthonormal(100+run, 5, 12), orthonormal(200+run, 5, 12)})
	}
	g := known(t, m, runs)
	lines := strings.Split(g.Verdict, "\n")
	if want := []string{
		"4 (4.76 %) of 84 distinct purposes are in two seeds or more, 4 in all 8; this is above chance (the most " +
			"common of random directions: in 1.0 on average, at most 1 in 95 % of 999 draws).",
		"Similarity of purposes is above chance in iteration 0 (p ≤ 0.05 and an interval that excludes 0, adjusted for 3 " +
			"tests); in 1 and 2 it is not settled.",
		fmt.Sprintf("Strongest in 0: similarity 1.000 (chance %.3f), %.3f above it [%.3f, %.3f] at 98.33 %%.",
			*g.Iterations[0].Chance, 1-*g.Iterations[0].Chance, *g.Iterations[0].ExcessLow, *g.Iterations[0].ExcessHigh),
	}; !slices.Equal(lines, want) {
		t.Errorf("%s\n%+v", g.Verdict, g.Iterations)
	}
	for _, a := range g.Iterations[1:] {
		if math.Abs(*a.Observed-*a.Chance) > 0.05 {
			t.Errorf("random sets: %v observed, %v by chance", *a.Observed, *a.Chance)
		}
	}
}

// TestRandomGroupsAreNotSignificant: where all sets are random, of several sizes, p ≤ α has a probability of about α.
func TestRandomGroupsAreNotSignificant(t *testing.T) {
	m := modelMetric(t, ring(t, 6, 0))
	random := rand.New(rand.NewPCG(5, 6))
	trials, below := schematest.Size(60, 300), map[float64]int{}
	for range trials {
		var runs [][][][]float64
		for _, size := range []int{2, 3, 3, 4} {
			set, err := m.randomVectors(t.Context(), random, size)
			ok(t, err)
			runs = append(runs, [][][]float64{set})
		}
		p := *known(t, m, runs).Iterations[0].P
		for _, alpha := range []float64{0.05, 0.2, 0.5} {
			if p <= alpha {
				below[alpha]++
			}
		}
	}
	for alpha, n := range below {
		share, se := float64(n)/float64(trials), math.Sqrt(alpha*(1-alpha)/float64(trials))
		if math.Abs(share-alpha) > 4*se {
			t.Errorf("p ≤ %v in %.3f of %d groups (standard error %.3f)", alpha, share, trials, se)
		}
	}
}

// knownOptions returns the comparison of the options of hand-made sets of directions.
func knownOptions(t *testing.T, env envs.SimulatedEnv, runs [][][]float64) Clustering {
	c := comparisonOf(modelMetric(t, env))
	c.out.By = Options
	spec := schema.Spec{Gamma: 0.9, Sweeps: 50, Tolerance: 1e-9}
	d, items := c.newOptionPool([]behaviours.StateVisits{
		{State: 0, Steps: 3}, {State: 5, Steps: 2}, {State: 17, Steps: 1},
	})
	for run, vectors := range runs {
		c.addRun()
		set := []int{}
		for j, v := range vectors {
			for _, sign := range []int{1, -1} {
				set = append(set, len(items.traces))
				signed := floats.ScaleTo(make([]float64, len(v)), float64(sign), v)
				ok(t, items.add(func() (*behaviours.Behaviour, error) {
					return learnOption(t.Context(), env, spec, schema.Purpose{J: j + 1, Sign: sign, Vector: signed})
				}))
				d.found = append(d.found, foundItem{run: run, ref: fmt.Sprintf("%d:0/%d%+d", run, j+1, sign)})
			}
		}
		d.sets = append(d.sets, [][]int{set})
	}
	c.addRandomOptions(d, items, env, spec)
	o := &DistinctOptions{}
	var err error
	o.Distinct, o.Similarity, err = c.compare(t.Context(), d)
	ok(t, err)
	c.out.Options = o
	c.out.Sharing, err = d.sharing(t.Context(), o.Distinct)
	ok(t, err)
	c.out.Verdict = verdictOf(c.out)
	return *c.out
}

// TestKnownOptions: the same directions make the same options, with their signs changed too: then the other sign's. Of
// orthogonal directions some are shared at most.
func TestKnownOptions(t *testing.T) {
	env := ring(t, 6, 0)
	vectors := orthonormal(4, 3, 6)
	var same, signs [][][]float64
	for run := range 6 {
		same, signs = append(same, vectors), append(signs, vectors)
		if run%2 == 1 {
			signs[run] = [][]float64{negated(vectors[0]), vectors[1], negated(vectors[2])}
		}
	}
	for name, runs := range map[string][][][]float64{"identical": same, "relabelled signs": signs} {
		g := knownOptions(t, env, runs)
		if a := g.Iterations[0]; *a.Observed != 1 || *a.P != 0.001 || !a.Above || *a.Low != 1 || *a.High != 1 {
			t.Errorf("%s: %+v", name, a)
		}
		for _, d := range g.Options.Distinct {
			if d.Runs != 6 {
				t.Errorf("%s: %s is shared by %d", name, d.Name, d.Runs)
			}
		}
		if !strings.Contains(g.Verdict, "\nSimilarity of options is above chance in iteration 0 (p ≤ 0.05 and an "+
			"interval that excludes 0).\n") || !strings.HasPrefix(g.Verdict, "6 (100 %) of 6 distinct options are in two "+
			"seeds or more, 6 in all 6; this is above chance (the most common of options of random ") {
			t.Errorf("%s: %s", name, g.Verdict)
		}
	}
}

// TestSharingByChance: at a threshold that no two random directions reach the most common one is in one run, and at one
// that all reach it is in all runs, whatever the sizes. In one dimension everything is the same.
func TestSharingByChance(t *testing.T) {
	var runs [][][][]float64
	for run := range uint64(5) {
		runs = append(runs, [][][]float64{orthonormal(10+run, 2, 12), orthonormal(20+run, 3+int(run%2), 12)})
	}
	for threshold, want := range map[float64]float64{1: 1, 1e-9: 5} {
		c := comparisonOf(plain(t, 12))
		c.limits.Cosine = threshold
		d, items := c.newDirectionPool()
		for run, byK := range runs {
			c.addRun()
			var sets [][]int
			for k, vectors := range byK {
				var set []int
				for _, v := range vectors {
					set = append(set, items.add(c.metric.Image(v)))
					d.found = append(d.found, foundItem{run: run, k: k, vector: v})
				}
				sets = append(sets, set)
			}
			d.sets = append(d.sets, sets)
		}
		list, err := d.distinct(t.Context(), len(runs))
		ok(t, err)
		s, err := d.sharing(t.Context(), list)
		ok(t, err)
		if *s.Mean != want || *s.P95 != int(want) || s.Draws != sharingDraws {
			t.Errorf("threshold %v: %+v, mean %v, want %v", threshold, s, *s.Mean, want)
		}
	}
}

// TestShownExcess: the excess that is shown is the difference of the numbers beside it, and the exact one up to their
// rounding.
func TestShownExcess(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		observed, chance := rapid.Float64Range(0, 1).Draw(t, "observed"), rapid.Float64Range(0, 1).Draw(t, "chance")
		excess := observed - chance
		a := Agreement{Observed: &observed, Chance: &chance, Excess: &excess}
		var x, y, z int // thousandths
		text := strings.NewReplacer(".", "").Replace(fmt.Sprintf("%.3f %.3f %.3f", observed, chance, *a.ShownExcess()))
		if _, err := fmt.Sscanf(text, "%d %d %d", &x, &y, &z); err != nil || x-y != z ||
			math.Abs(*a.ShownExcess()-excess) > 0.001+1e-9 {
			t.Fatalf("%s: %d − %d is not %d, %v", text, x, y, z, err)
		}
	})
	if (Agreement{}).ShownExcess() != nil {
		t.Error("an excess where there is none")
	}
}
