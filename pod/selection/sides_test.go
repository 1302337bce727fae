package selection_test

import (
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/matrix"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest/podtest"
)

// TestVisitContrast: on a corridor S...... the agent goes right twice, and back and forth: it is in the columns
// 0, 1, 2, 1, 2. The visits' mean column is 6/5, that of the columns 1; one-hot, the means are (1 2 2)/5 and
// (1 1 1)/3.
func TestVisitContrast(t *testing.T) {
	env := podtest.Grid(t, "1,4\nS...\n", 0)
	stats := collect.NewTransitionStats(env, collect.OptionSet{}, 0)
	if got := stats.VisitContrast(); got != nil {
		t.Errorf("%v of visits that were not counted", got)
	}
	stats.CountVisits()
	const left, right = 3, 1
	if err := stats.Add(&schema.Transitions{Arity: 4, Actions: []uint8{right, right, left, right},
		Spans: []schema.Span{{Steps: 4, Option: schema.Primitive}}}); err != nil {
		t.Fatal(err)
	}
	want := []float64{1.0/5 - 1.0/3, 2.0/5 - 1.0/3, 2.0/5 - 1.0/3, 0}
	if got := stats.VisitContrast(); !near(got, want, 1e-15) {
		t.Errorf("%v, want %v", got, want)
	}
}

// saw is what chooses signs, given.
type saw []float64

func (saw) Transitions() envs.TransitionCounts { return nil }

func (s saw) VisitContrast() []float64 { return s }

// TestOneSided: of the directions (1, 0, 0), (0, 1, 0) and (0, 0, 1) the first has its larger w where the visits
// are, and turns round; the second does not, and what rounding makes of the third is a tie.
func TestOneSided(t *testing.T) {
	f := diagonal(3, 3, 2, 1)
	spec := schema.Spec{Basis: schema.RightSingular, Select: schema.Threshold, Sides: schema.OneSided, Kappa: 1.5,
		Numerics: 2}
	for _, c := range []struct {
		contrast saw
		want     []schema.Sign
	}{
		{saw{0.3, -0.2, 0}, []schema.Sign{-1, 1, 1}},
		{saw{-0.3, 0.2, 1e-12}, []schema.Sign{1, -1, 1}},
		{saw{-0.3, 0.2, 1e-12, 0}, []schema.Sign{1, -1, 1}}, // with a state that was discovered later
	} {
		s, err := selection.SelectDirections(t.Context(), nil, spec, 0, collect.OptionSet{}, f, c.contrast)
		if err != nil {
			t.Fatal(err)
		}
		var got []schema.Sign
		for _, d := range s.Directions {
			got = append(got, d.Sign)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%v: signs %v, want %v", c.contrast, got, c.want)
		}
		purposes, err := selectedPurposes(spec, 0, f, s)
		if err != nil || len(purposes) != 2 || purposes[0].J != 1 || purposes[0].Sign != int(c.want[0]) ||
			purposes[1].Sign != int(c.want[1]) || purposes[0].Vector[0] != float64(c.want[0]) {
			t.Errorf("%v: purposes %v, %v", c.contrast, purposes, err)
		}
		if len(schema.Unsigned(purposes)) != 2 {
			t.Errorf("%v: %d directions", c.contrast, len(schema.Unsigned(purposes)))
		}
		both := spec
		both.Sides = schema.TwoSided
		if _, err := selectedPurposes(both, 0, f, s); err == nil {
			t.Errorf("%v: a selection with signs is taken for one of both", c.contrast)
		}
	}
	for _, seen := range []selection.Seen{nil, saw{}, saw{1, 2}} {
		if _, err := selection.SelectDirections(t.Context(), nil, spec, 0, collect.OptionSet{}, f, seen); err == nil {
			t.Errorf("signs are chosen by the visits %v", seen)
		}
	}
}

// TestPublishedSides: of each direction the sign is kept whose entries add up to less than 0, + if they add up to 0 but
// for rounding. No visits are needed.
func TestPublishedSides(t *testing.T) {
	f := diagonal(3, 3, 2, 1)
	f.V = []float64{0.6, -0.8, 0, 0.8, 0.6, 0, 0, 0, 1} // columns add up to 1.4, −0.2 and 1
	spec := schema.Spec{Basis: schema.RightSingular, Select: schema.Threshold, Sides: schema.PublishedSides, Numerics: 2}
	for _, c := range []struct {
		change func(v []float64)
		want   []schema.Sign
	}{
		{func([]float64) {}, []schema.Sign{-1, 1, -1}},
		{func(v []float64) { v[1], v[4], v[8] = 0.8, -0.8, -1 }, []schema.Sign{-1, 1, 1}},
		{func(v []float64) { v[1], v[4] = 0.8+1e-12, -0.8 }, []schema.Sign{-1, 1, -1}},
	} {
		own := f
		own.V = slices.Clone(f.V)
		c.change(own.V)
		s, err := selection.SelectDirections(t.Context(), nil, spec, 0, collect.OptionSet{}, own, nil)
		if err != nil {
			t.Fatal(err)
		}
		for i, d := range s.Directions {
			if d.Sign != c.want[i] {
				t.Errorf("%v: direction %d has sign %d, want %d", own.V, i+1, d.Sign, c.want[i])
			}
		}
	}
}

// TestSignsOfSuccessor: the largest direction of a successor representation that goes on from one iteration to the next
// has the published sign in each of them. That is also the sign by visits in the first iteration, but not in all.
// Counts lead to where the agent was least.
func TestSignsOfSuccessor(t *testing.T) {
	const iterations = 4
	differ := [iterations]int{}
	for seed := range uint64(50) {
		for k, sums := range sumsOfPurposes(t, seed, schema.Successor, iterations) {
			if sums[0] >= 0 {
				t.Errorf("seed %d, iteration %d: the entries of the published purpose add up to %v", seed, k, sums[0])
			}
			if sums[1] >= 0 {
				differ[k]++
			}
		}
		if sums := sumsOfPurposes(t, seed, schema.Counts, 1); sums[0][1] <= 0 {
			t.Errorf("seed %d, counts: the entries of the purpose add up to %v", seed, sums[0][1])
		}
	}
	if differ[0] > 0 || differ[1]+differ[2]+differ[3] == 0 {
		t.Errorf("the sign by visits differs from the published one in %v of 50 walks", differ)
	}
}

// sumsOfPurposes returns for each iteration of a walk over four rooms the sums of the entries of the first purpose with
// the published sign and with that by visits.
func sumsOfPurposes(t *testing.T, seed uint64, method schema.Method, iterations int) (sums [][2]float64) {
	spec := pod.PaperSpec()
	spec.Env, _ = envs.DefaultEnv("grid")
	spec.Env.Text["map"], spec.Method, spec.Select = "four-rooms", method, "top=1"
	spec.StateSet, spec.Dataset = schema.VisitedStates, schema.Cumulative
	env, err := pod.NewEnvForSpec(spec)
	if err != nil {
		t.Fatal(err)
	}
	var table matrix.StateMatrix
	state := envs.StartState(env)
	for k := range iterations {
		c := collect.Collector{Env: env, Stream: rng.NewStream(seed, k, collect.WalkStream), State: state,
			Executing: schema.Primitive}
		steps := schema.Transitions{Start: uint64(state), Arity: len(env.Actions())}
		stats := collect.NewTransitionStats(env, collect.OptionSet{}, state)
		stats.LearnMatrix(spec, table)
		stats.CountVisits()
		if err := c.Collect(t.Context(), &steps, 100); err != nil {
			t.Fatal(err)
		}
		if err := stats.Add(&steps); err != nil {
			t.Fatal(err)
		}
		var both [2]float64
		for i, sides := range []schema.Sides{schema.PublishedSides, schema.OneSided} {
			spec.Sides = sides
			for _, x := range purposesOf(t, env, spec, stats, stats.FactoredDataset)[0].Vector {
				both[i] += x
			}
		}
		sums, table, state = append(sums, both), stats.Matrix(nil), c.State
	}
	return sums
}

// TestOneSidedVisits: an agent that stays at one end of a corridor, and then goes two steps, is led to the other
// end.
func TestOneSidedVisits(t *testing.T) {
	const left, right = 3, 1
	for _, c := range []struct {
		plan       string
		stay, away uint8
		sign       float64
	}{{"1,9\nS........\n", left, right, 1}, {"1,9\n........S\n", right, left, -1}} {
		e, err := envs.DefaultEnv("grid")
		if err != nil {
			t.Fatal(err)
		}
		e.Text["map"], e.Text["observe"] = c.plan, "real"
		env := podtest.Simulated(t, e)
		stats := collect.NewTransitionStats(env, collect.OptionSet{}, envs.StartState(env))
		stats.CountVisits()
		actions := append(slices.Repeat([]uint8{c.stay}, 10), c.away, c.away)
		if err := stats.Add(&schema.Transitions{Start: uint64(envs.StartState(env)), Arity: 4, Actions: actions,
			Spans: []schema.Span{{Steps: 12, Option: schema.Primitive}}}); err != nil {
			t.Fatal(err)
		}
		spec := schema.Spec{Basis: schema.RightSingular, Select: "top=1", Sides: schema.OneSided, Numerics: 2}
		purposes := purposesOf(t, env, spec, stats, func() (linalg.Dataset, error) { return stats.Dataset(), nil })
		w := make([]float64, env.States())
		env.Potential(purposes[0].Vector, w)
		if len(purposes) != 1 || (w[8]-w[0])*c.sign <= 0 {
			t.Errorf("%q: w %v", c.plan, w)
		}
	}
}

// purposesOf selects the purposes of what an iteration saw.
func purposesOf(
	t *testing.T, env envs.Env, spec schema.Spec, stats *collect.TransitionStats, dataset func() (linalg.Dataset, error),
) []schema.Purpose {
	t.Helper()
	d, err := dataset()
	if err != nil {
		t.Fatal(err)
	}
	f, err := linalg.Factor(t.Context(), pod.FactoringOf(env, spec), d)
	if err != nil {
		t.Fatal(err)
	}
	s, err := selection.SelectDirections(t.Context(), env, spec, 0, collect.OptionSet{}, f, stats)
	if err != nil {
		t.Fatal(err)
	}
	purposes, err := selectedPurposes(spec, 0, f, s)
	if err != nil || len(purposes) == 0 {
		t.Fatalf("%d purposes, %v", len(purposes), err)
	}
	return purposes
}
