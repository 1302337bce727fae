package selection_test

import (
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/internal/podtest"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
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
		s, err := selection.SelectDirections(nil, spec, 0, collect.OptionSet{}, f, c.contrast)
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
		purposes, err := selection.SelectedPurposes(spec, 0, f, s)
		if err != nil || len(purposes) != 2 || purposes[0].J != 1 || purposes[0].Sign != int(c.want[0]) ||
			purposes[1].Sign != int(c.want[1]) || purposes[0].Vector[0] != float64(c.want[0]) {
			t.Errorf("%v: purposes %v, %v", c.contrast, purposes, err)
		}
		if len(schema.Unsigned(purposes)) != 2 {
			t.Errorf("%v: %d directions", c.contrast, len(schema.Unsigned(purposes)))
		}
		both := spec
		both.Sides = schema.TwoSided
		if _, err := selection.SelectedPurposes(both, 0, f, s); err == nil {
			t.Errorf("%v: a selection with signs is taken for one of both", c.contrast)
		}
	}
	for _, seen := range []selection.Seen{nil, saw{}, saw{1, 2}} {
		if _, err := selection.SelectDirections(nil, spec, 0, collect.OptionSet{}, f, seen); err == nil {
			t.Errorf("signs are chosen by the visits %v", seen)
		}
	}
}

// TestPublishedSign: of the successor representation's largest direction the sign is that of published code of
// the ROD cycle, whose entries add up to less than 0; and counts lead to where the agent was least.
func TestPublishedSign(t *testing.T) {
	for seed := range uint64(200) {
		for _, method := range []schema.Method{schema.Successor, schema.Counts} {
			spec := pod.PaperSpec()
			spec.Env, _ = envs.DefaultEnv("grid")
			spec.Seed, spec.Method, spec.Select, spec.Sides = seed, method, "top=1", schema.OneSided
			env, err := pod.NewEnvForSpec(spec)
			if err != nil {
				t.Fatal(err)
			}
			c := collect.Collector{Env: env, Stream: rng.NewStream(seed, 0, collect.WalkStream), State: envs.StartState(env),
				Executing: schema.Primitive}
			steps := schema.Transitions{Start: uint64(c.State), Arity: len(env.Actions())}
			stats := collect.NewTransitionStats(env, collect.OptionSet{}, c.State)
			stats.LearnMatrix(spec, nil)
			stats.CountVisits()
			if err := c.Collect(t.Context(), &steps, 100); err != nil {
				t.Fatal(err)
			}
			if err := stats.Add(&steps); err != nil {
				t.Fatal(err)
			}
			purposes := purposesOf(t, env, spec, stats, stats.FactoredDataset)
			sum := 0.0
			for _, x := range purposes[0].Vector {
				sum += x
			}
			if method == schema.Successor && sum >= 0 || method == schema.Counts && sum <= 0 {
				t.Errorf("seed %d, %s: the entries of the purpose add up to %v", seed, method, sum)
			}
		}
	}
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
	s, err := selection.SelectDirections(env, spec, 0, collect.OptionSet{}, f, stats)
	if err != nil {
		t.Fatal(err)
	}
	purposes, err := selection.SelectedPurposes(spec, 0, f, s)
	if err != nil || len(purposes) == 0 {
		t.Fatalf("%d purposes, %v", len(purposes), err)
	}
	return purposes
}
