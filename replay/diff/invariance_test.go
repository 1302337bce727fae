package diff

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/schema"
)

// drawSelected returns a set as iterations select them: orthonormal directions, both
// signs, σ that are the given ratio apart.
func drawSelected(t *rapid.T, ratio float64) source {
	env := drawRing(t)
	d := len(env.Features())
	s := source{env: env, gamma: 0.9, basis: schema.RightSingular}
	for i, v := range drawOrthonormal(t, "directions", rapid.IntRange(1, d).Draw(t, "size"), d) {
		s.directions = append(s.directions, sourceDirection{
			vector: v, sigma: 10 * math.Pow(ratio, float64(i)), signs: []int{1, -1},
		})
	}
	return s
}

// TestFlippedAndPermuted: signs and the order of directions mean nothing.
func TestFlippedAndPermuted(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSelected(t, 0.8)
		changed := s
		changed.directions = rapid.Permutation(slices.Clone(s.directions)).Draw(t, "order")
		for i := range changed.directions {
			changed.directions[i].sigma = s.directions[i].sigma
			if rapid.Bool().Draw(t, "flipped") {
				changed.directions[i].vector = negated(changed.directions[i].vector)
			}
		}
		a, b := s.set(t, "a:0", nil), changed.set(t, "b:0", nil)
		c := compare(t, a, b, Limits{Cosine: 1, Agreement: 1})
		if !c.Equivalent || len(c.OnlyA)+len(c.OnlyB) > 0 || len(c.Clusters) > 0 || len(c.Pairs) != len(a.Purposes) {
			t.Fatalf("not equivalent: %+v", c)
		}
		for _, p := range c.Pairs {
			x, y := purposeOf(a, p.A), purposeOf(b, p.B)
			if !slices.Equal(x.Vector, y.Vector) || p.SigmaA != x.Sigma || p.SigmaB != y.Sigma {
				t.Fatalf("%s was matched with %s", p.A, p.B)
			}
		}
	})
}

func purposeOf(s *optionSet, ref string) signedPurpose {
	return s.Purposes[slices.IndexFunc(s.Purposes, func(p signedPurpose) bool { return p.Ref == ref })]
}

func negated(v []float64) []float64 {
	n := make([]float64, len(v))
	for i, x := range v {
		n[i] = 0 - x
	}
	return n
}

// rotated has the directions from the first on turned against each other, pair
// by pair, by an angle; their span stays.
func rotated(s source, first int, angle float64) source {
	r := s
	r.directions = slices.Clone(s.directions)
	for i := first; i+1 < len(s.directions); i += 2 {
		v, w := s.directions[i].vector, s.directions[i+1].vector
		x, y := make([]float64, len(v)), make([]float64, len(v))
		for c := range v {
			x[c] = math.Cos(angle)*v[c] - math.Sin(angle)*w[c]
			y[c] = math.Sin(angle)*v[c] + math.Cos(angle)*w[c]
		}
		r.directions[i].vector, r.directions[i+1].vector = x, y
	}
	return r
}

// TestRotatedWithinCluster: directions of equal σ are arbitrary within their
// span, of σ that are apart they are not, and rows of V never.
func TestRotatedWithinCluster(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSelected(t, rapid.SampledFrom([]float64{1, 0.995, 0.8}).Draw(t, "ratio"))
		angle := rapid.Float64Range(0.1, math.Pi/2-0.1).Draw(t, "angle")
		a, b := s.set(t, "a:0", nil), rotated(s, 0, angle).set(t, "b:0", nil)
		for _, set := range []*optionSet{a, b} {
			set.Basis = rapid.SampledFrom([]schema.Basis{schema.RightSingular, schema.RightSingular, schema.RowsOfV}).Draw(t,
				"basis")
		}
		c := compare(t, a, b, Limits{Cosine: 0.999, Agreement: 1})
		turned := len(s.directions) > 1
		near := turned && s.directions[0].sigma-s.directions[1].sigma <= 0.01*s.directions[0].sigma
		near = near && a.Basis == schema.RightSingular && b.Basis == schema.RightSingular
		if want := near || !turned; c.Equivalent != want || (len(c.OnlyA) > 0) == want {
			t.Fatalf("equivalent %v, want %v: %+v", c.Equivalent, want, c)
		}
		if near != (len(c.Clusters) == 1) || near &&
			(c.Clusters[0].Cosine != 1 || len(c.Clusters[0].A) != len(s.directions)) {
			t.Fatalf("clusters %+v of %d directions", c.Clusters, len(s.directions))
		}
	})
}

// TestSeveralClusters: each is compared for itself, and what is between them by
// direction. The σ are 9 9 5 2 2.
func TestSeveralClusters(t *testing.T) {
	for _, c := range []struct {
		name  string
		first int // of the directions that are turned, two by two
		want  string
		only  []string
	}{
		{"4 and 5 turned", 3, "true [1 2] true [4 5] true", []string{}},
		{
			"1 and 2 turned, 3 and 4 too", 0, "false [1 2] true [4 5] false",
			[]string{"a:0/3+1", "a:0/3-1", "a:0/4+1", "a:0/4-1"},
		},
		{
			"2 and 3 turned, 4 and 5 too", 1, "false [1 2] false [4 5] true",
			[]string{"a:0/2+1", "a:0/2-1", "a:0/3+1", "a:0/3-1"},
		},
	} {
		s := pairsOfEqualSigma(t)
		got := compare(t, s.set(t, "a:0", nil), rotated(s, c.first, 0.7).set(t, "b:0", nil), Limits{})
		words := fmt.Sprint(got.Equivalent)
		for _, cl := range got.Clusters {
			words += fmt.Sprintf(" %v %v", cl.A, cl.Equivalent)
		}
		if words != c.want || !slices.Equal(got.OnlyA, c.only) {
			t.Errorf("%s: %s, only a %v, want %s and %v", c.name, words, got.OnlyA, c.want, c.only)
		}
	}
}

func pairsOfEqualSigma(t *testing.T) source {
	s := source{env: ring(t, 6, 1), gamma: 0.9, basis: schema.RightSingular}
	for i, sigma := range []float64{9, 9, 5, 2, 2} {
		s.directions = append(s.directions, sourceDirection{
			vector: orthonormal(7, 5, 5)[i], sigma: sigma, signs: []int{1, -1},
		})
	}
	return s
}

// TestClusterOfFewerPurposes: an equal span is no match for a purpose whose sign is missing on the other side.
func TestClusterOfFewerPurposes(t *testing.T) {
	s := pairsOfEqualSigma(t)
	fewer := rotated(s, 0, 0.7)
	fewer.directions[1].signs = []int{1}
	c := compare(t, s.set(t, "a:0", nil), fewer.set(t, "b:0", nil), Limits{})
	if c.Equivalent || c.Clusters[0].Equivalent || c.Clusters[0].Cosine != 1 || !slices.Contains(c.OnlyA, "a:0/2-1") {
		t.Errorf("%+v", c)
	}
}

// TestClusterExcusesNoOption: where directions of equal σ are the same on both
// sides, options that differ nevertheless (here by their discount) are not
// excused by the cluster.
func TestClusterExcusesNoOption(t *testing.T) {
	s := pairsOfEqualSigma(t)
	s.directions = slices.Delete(s.directions, 2, 3) // the one without a match
	other := s
	other.gamma = 0.1
	c := compare(t, s.set(t, "a:0", nil), other.set(t, "b:0", nil), Limits{})
	if len(c.Clusters) != 2 || !c.Clusters[0].Equivalent || len(c.OnlyA) > 0 {
		t.Fatalf("the purposes are the same: %+v", c)
	}
	if c.Equivalent {
		t.Errorf("equivalent with policies that agree in %v of the states", c.Pairs[0].Ties)
	}
}

// TestPlantedChange: another action in one state of one option is found, is all
// that is found, and is found with ties too, since it does not follow from q.
func TestPlantedChange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawSelected(t, 0.8)
		option := rapid.IntRange(0, len(s.purposes())-1).Draw(t, "option")
		state := rapid.IntRange(0, s.env.Model().States-1).Draw(t, "state")
		if rapid.Bool().Draw(t, "visited") {
			s.visits = []behaviours.StateVisits{{State: state, Steps: 5}}
		}
		other := int8(rapid.IntRange(-1, s.env.Model().Actions-2).Draw(t, "action"))
		a, before := s.set(t, "a:0", nil), int8(0)
		b := s.set(t, "b:0", func(i int, r learnedOption) learnedOption {
			if i != option {
				return r
			}
			if before = r.option.Policy[state]; other >= before {
				other++
			}
			return r.planted(state, other)
		})
		c := compare(t, a, b, Limits{Agreement: 1})
		if c.Equivalent || len(c.OnlyA)+len(c.OnlyB) > 0 || len(c.Pairs) != len(a.Purposes) {
			t.Fatalf("%+v", c)
		}
		for i, p := range c.Pairs {
			if i != option {
				if p.Differing != 0 || p.Policy != 1 || p.Ties != 1 || p.Jaccard != 1 {
					t.Fatalf("found in %s as well: %+v", p.A, p.BehaviourSimilarity)
				}
				continue
			}
			if diff := cmp.Diff([]Disagreement{{State: state, A: before, B: other}}, p.States); diff != "" ||
				p.Differing != 1 {
				t.Fatalf("found in %d states: %s", p.Differing, diff)
			}
			if p.Policy >= 1 || p.Ties != p.Policy || p.RMSE != 0 || p.Cosine != 1 ||
				(p.Jaccard < 1) != (before < 0 || other < 0) {
				t.Fatalf("%+v", p)
			}
		}
	})
}
