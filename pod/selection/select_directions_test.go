package selection_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
)

// diagonal returns the factors of a D with those singular values along the features.
func diagonal(total int64, sigma ...float64) schema.Factors {
	d := len(sigma)
	f := schema.Factors{Dims: d, Total: total, Sigma: sigma, V: make([]float64, d*d)}
	for i := range d {
		f.V[i*d+i] = 1
	}
	return f
}

func judged(t testing.TB, spec schema.Spec, env envs.Env, options []*schema.Option, f schema.Factors) string {
	t.Helper()
	s, err := selection.SelectDirections(t.Context(), env, spec, 3, collect.OptionSet{Options: options}, f, nil)
	if err != nil {
		t.Fatal(err)
	}
	var words []string
	for _, d := range s.Directions {
		words = append(words, d.Reason.String())
	}
	return strings.Join(words, " ")
}

// TestRules: known results for σ = 4, 2, 2, 1, 0 of a D of 4 rows, Σσ² = 25 and κ = 1.
func TestRules(t *testing.T) {
	f := diagonal(4, 4, 2, 2, 1, 0)
	for _, c := range []struct {
		rule  schema.Select
		kappa float64
		want  string
	}{
		{"threshold", 1, "kept kept kept noise"},
		{"threshold", 0, "kept kept kept kept"},
		{"threshold:sigma2", 1, "kept kept kept noise"},
		{"threshold:sigma2", 0.99, "kept kept kept kept"},
		{"threshold:sigma2", 4, "kept noise noise noise"},
		{"threshold:rms", 1, "kept noise noise noise"}, // σ/√4
		{"threshold:rms", 0.5, "kept kept kept noise"},
		{"top=1", 0, "kept rank rank rank"},
		{"top=3", 0, "kept kept kept rank"},
		{"top=9", 0, "kept kept kept kept"},
		{"energy=0.64", 0, "kept share share share"}, // 16/25
		{"energy=0.65", 0, "kept kept share share"},
		{"energy=0.8", 0, "kept kept share share"}, // 20/25
		{"energy=0.97", 0, "kept kept kept kept"},  // 24/25 = 0.96
		{"energy=1", 0, "kept kept kept kept"},
		{"energy=5e-324", 0, "kept share share share"},
		{"below", 1, "large large large kept kept"}, // σ = 0 too
		{"below", 1.5, "large large large kept kept"},
		{"below", 0, "large large large large kept"},
		{"below", 9, "kept kept kept kept kept"},
		{"all", 0, "kept kept kept kept kept"},
		{"none", 0, "rank rank rank rank"},
	} {
		spec := pod.PaperSpec()
		spec.Select, spec.Kappa = c.rule, c.kappa
		if got := judged(t, spec, nil, nil, f); got != c.want {
			t.Errorf("%s with κ %v: %s, want %s", c.rule, c.kappa, got, c.want)
		}
		passing, err := selection.FindPassing(spec, f)
		for j, word := range strings.Fields(c.want) {
			if err != nil || passing[j] != (word == "kept") {
				t.Errorf("%s: direction %d passes: %v (%v)", c.rule, j+1, passing[j], err)
			}
		}
	}
}

// TestRulesOfLargeNumbers: a σ² that overflows exceeds every κ, and shares remain
// meaningful.
func TestRulesOfLargeNumbers(t *testing.T) {
	f := diagonal(1, 1e300, 1e300, 1e-300)
	for rule, want := range map[schema.Select]string{"threshold:sigma2": "kept kept noise",
		"energy=0.5": "kept share share", "energy=0.6": "kept kept share"} {
		spec := pod.PaperSpec()
		spec.Select = rule
		if got := judged(t, spec, nil, nil, f); got != want {
			t.Errorf("%s: %s, want %s", rule, got, want)
		}
		s, err := selection.SelectDirections(t.Context(), nil, spec, 0, collect.OptionSet{}, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Encode(); err != nil {
			t.Errorf("%s: %v", rule, err)
		}
	}
	if got := judged(t, pod.PaperSpec(), nil, nil, diagonal(0, 0, 0)); got != "" {
		t.Errorf("of nothing: %s", got)
	}
}

// TestSampleIsADraw: for every seed and iteration N of the directions over κ are drawn,
// each equally often.
func TestSampleIsADraw(t *testing.T) {
	f, times := diagonal(1, 9, 8, 7, 6, 5, 0.5), make([]int, 6)
	const draws = 3000
	for seed := range uint64(draws) {
		spec := pod.PaperSpec()
		spec.Select, spec.Seed = "sample=2", seed
		words := strings.Fields(judged(t, spec, nil, nil, f))
		if again := judged(t, spec, nil, nil, f); strings.Join(words, " ") != again ||
			strings.Count(again, "kept") != 2 || words[5] != "noise" {
			t.Fatalf("seed %d: %v, then %s", seed, words, again)
		}
		for i, w := range words {
			if w == "kept" {
				times[i]++
			}
		}
	}
	// A draw keeps each of five with 2/5: 1200 times, give or take √(3000·6/25) = 27.
	for i, n := range times[:5] {
		if math.Abs(float64(n)-1200) > 5*27 {
			t.Errorf("direction %d was drawn %d of %d times", i+1, n, draws)
		}
	}
	for _, n := range []schema.Select{"sample=5", "sample=6"} {
		spec := pod.PaperSpec()
		spec.Select = n
		if got := judged(t, spec, nil, nil, f); got != "kept kept kept kept kept noise" {
			t.Errorf("%s: %s", n, got)
		}
	}
}

// TestNovelty: a direction is known if the action set, or this iteration so far, has it
// with either sign.
func TestNovelty(t *testing.T) {
	env, err := envs.NewEnv(pod.PaperSpec().Env)
	if err != nil {
		t.Fatal(err)
	}
	unit := func(i int, x float64) []float64 {
		v := make([]float64, 12)
		v[i] = x
		return v
	}
	options := []*schema.Option{{Purpose: schema.Purpose{J: 1, Sign: 1, Vector: unit(0, 3)}},
		{Purpose: schema.Purpose{J: 1, Sign: -1, Vector: unit(0, -3)}}}
	f := diagonal(9, 9, 8, 7, 0.5, 0, 0, 0, 0, 0, 0, 0, 0)
	for i := range 12 { // direction 2 is −1 times feature 0, direction 1 feature 1
		f.V[i*12], f.V[i*12+1] = unit(1, 1)[i], unit(0, -1)[i]
	}
	spec := pod.PaperSpec()
	for _, c := range []struct {
		rule    schema.Select
		want    string
		nearest int32
	}{
		{"novel=0.99", "kept known kept noise", 1}, // −feature 0 is option 1
		{"novel=0", "kept known kept noise", 1},    // M of the ring is diagonal
	} {
		spec.Select = c.rule
		if got := judged(t, spec, env, options, f); got != c.want {
			t.Errorf("%s: %s, want %s", c.rule, got, c.want)
		}
		s, err := selection.SelectDirections(t.Context(), env, spec, 0, collect.OptionSet{Options: options}, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		if d := s.Directions[1]; d.Number != 1 || d.Nearest != c.nearest || d.Sigma != 8 {
			t.Errorf("%s: direction 2 is %+v", c.rule, d)
		}
	}
}

// TestPurposesOfSelections: a selection that does not belong to the factors is refused.
func TestPurposesOfSelections(t *testing.T) {
	f := diagonal(4, 4, 2, 0)
	whole := schema.Selection{Directions: []schema.Direction{{Sigma: 4}, {Sigma: 2, Reason: schema.Rank}}}
	got, err := selectedPurposes(schema.Spec{Basis: schema.RightSingular, Select: "top=1"}, 0, f, whole)
	want := purposesAbove(schema.Spec{Basis: schema.RightSingular, Kappa: 2}, 0, f)
	if err != nil || len(got) != 2 || got[0].J != want[0].J ||
		!slices.Equal(got[1].Vector, want[1].Vector) {
		t.Errorf("%v, %v; want %v", got, err, want)
	}
	for name, s := range map[string]schema.Selection{
		"one less": {Directions: whole.Directions[:1]},
		"one more": {Directions: append(slices.Clone(whole.Directions), schema.Direction{Sigma: 1},
			schema.Direction{Sigma: 1})},
		"another σ": {Directions: []schema.Direction{{Sigma: 4}, {Sigma: 3}}},
		"σ = 0":     {Directions: []schema.Direction{{Sigma: 4}, {Sigma: 2}, {Sigma: 0}, {Sigma: 0}}},
	} {
		for _, rule := range []schema.Select{"top=1", "below"} {
			spec := schema.Spec{Basis: schema.RightSingular, Select: rule}
			if got, err := selectedPurposes(spec, 0, f, s); err == nil {
				t.Errorf("%s of %s: %v", name, rule, got)
			}
		}
	}
}

// TestBelowKeepsWhatThresholdLeavesOut: for any κ each direction is a purpose of one of both rules.
func TestBelowKeepsWhatThresholdLeavesOut(t *testing.T) {
	f := diagonal(5, 4, 2, 0)
	for _, kappa := range []float64{0, 1, 2, 3, 4, 9} {
		spec := pod.PaperSpec()
		spec.Kappa = kappa
		above := purposesAbove(spec, 0, f)
		spec.Select = "below"
		s, err := selection.SelectDirections(t.Context(), nil, spec, 0, collect.OptionSet{}, f, nil)
		if err != nil {
			t.Fatal(err)
		}
		below, err := selectedPurposes(spec, 0, f, s)
		if err != nil || len(above)+len(below) != 2*f.Dims {
			t.Errorf("κ %v: %d and %d purposes of %d features (%v)", kappa, len(above), len(below), f.Dims, err)
		}
		for _, p := range below {
			if p.Sigma > kappa {
				t.Errorf("κ %v: σ %v is kept", kappa, p.Sigma)
			}
		}
	}
}

// selectedPurposes returns the purposes that a selection kept, with their vectors.
func selectedPurposes(spec schema.Spec, k int, f schema.Factors, s schema.Selection) ([]schema.Purpose, error) {
	purposes, err := selection.SignedKept(spec, f, s)
	return selection.NewDirections(spec, k, f).WithVectors(purposes), err
}
