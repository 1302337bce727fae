package diff

import (
	"context"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

func compare(t rapid.TB, a, b *optionSet, limits Limits) Comparison {
	t.Helper()
	c, err := compareOptionSets(context.Background(), modelMetric(t, envOf(a, b)), a, b, limits)
	ok(t, err)
	return c
}

// envOf returns a ring with as many features as the sets' vectors have.
func envOf(sets ...*optionSet) envs.SimulatedEnv {
	for _, s := range sets {
		if len(s.Purposes) > 0 {
			for _, env := range rings {
				if len(env.Features()) == len(s.Purposes[0].Vector) {
					return env
				}
			}
		}
	}
	return rings[0]
}

func drawLimits(t *rapid.T) Limits {
	return rapid.SampledFrom([]Limits{{}, {Cosine: 1, Agreement: 1}, {Cosine: 0.5, Agreement: 0.5, Gap: 1}}).Draw(t,
		"limits")
}

// mirrored returns what the comparison of B with A should be, given that of A with B.
func mirrored(c Comparison, b *optionSet) Comparison {
	c.A, c.B, c.OnlyA, c.OnlyB = c.B, c.A, c.OnlyB, c.OnlyA
	c.Clusters = slices.Clone(c.Clusters)
	for i, cl := range c.Clusters {
		c.Clusters[i].A, c.Clusters[i].B = cl.B, cl.A
	}
	pairs := []Pair{}
	for _, p := range b.Purposes { // in B's option order
		for _, q := range c.Pairs {
			if q.B != p.Ref {
				continue
			}
			r := Pair{
				A: q.B, B: q.A, Cosine: q.Cosine, Matched: q.Matched, SigmaA: q.SigmaB, SigmaB: q.SigmaA,
				NumberA: q.NumberB, NumberB: q.NumberA,
			}
			if q.BehaviourSimilarity != nil {
				l := *q.BehaviourSimilarity
				l.States = []Disagreement{}
				for _, s := range q.States {
					l.States = append(l.States, Disagreement{State: s.State, A: s.B, B: s.A})
				}
				r.BehaviourSimilarity = &l
			}
			pairs = append(pairs, r)
		}
	}
	c.Pairs = pairs
	return c
}

// TestSwap: comparing B with A gives the report of A with B, sides exchanged, to
// the last bit.
func TestSwap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env, limits := drawRing(t), drawLimits(t)
		ofA := drawSource(t, env, "a")
		ofB := ofA // with options of another discount at most
		if rapid.IntRange(0, 3).Draw(t, "other directions") > 0 {
			ofB = drawSource(t, env, "b")
		}
		ofB.gamma = rapid.SampledFrom([]float64{0.5, 0.9}).Draw(t, "gamma")
		a, b := ofA.set(t, "a:0", nil), ofB.set(t, "b:0", nil)
		forth, back := compare(t, a, b, limits), compare(t, b, a, limits)
		if diff := cmp.Diff(mirrored(forth, b), back, cmpopts.IgnoreUnexported(Pair{})); diff != "" {
			t.Fatalf("- mirrored, + exchanged\n%s", diff)
		}
		if again := mirrored(mirrored(forth, b), a); !cmp.Equal(again, forth, cmpopts.IgnoreUnexported(Pair{})) {
			t.Fatal("mirroring twice is not the same")
		}
	})
}

// TestItself: any set is like itself, at the strictest limits too.
func TestItself(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawSource(t, drawRing(t), "a").set(t, "a:0", nil)
		c := compare(t, a, a, drawLimits(t))
		if !c.Equivalent || len(c.OnlyA)+len(c.OnlyB) > 0 || len(c.Pairs) != len(a.Purposes) {
			t.Fatalf("not like itself: %+v", c)
		}
		for _, p := range c.Pairs {
			if p.Cosine != 1 || p.SigmaA != p.SigmaB || p.BehaviourSimilarity != nil &&
				(p.Policy != 1 || p.Ties != 1 || p.Jaccard != 1 || p.Terminal != 1 || p.RMSE != 0) {
				t.Fatalf("pair %+v", p)
			}
		}
	})
}

// TestReportIsComplete: every purpose is in one pair or stands alone, or its cluster has a match.
func TestReportIsComplete(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		env, limits := drawRing(t), drawLimits(t)
		a, b := drawSource(t, env, "a").set(t, "a:0", nil), drawSource(t, env, "b").set(t, "b:0", nil)
		c := compare(t, a, b, limits)
		matched, clustered := map[string]int{}, map[int]bool{}
		for _, p := range c.Pairs {
			if p.Matched != (p.Cosine >= c.Threshold) {
				t.Fatalf("cosine %v at a threshold of %v: %v", p.Cosine, c.Threshold, p.Matched)
			}
			want := modelMetric(t, envOf(a, b)).Cos(purposeOf(a, p.A).Vector, purposeOf(b, p.B).Vector)
			if p.Cosine < 0 || p.Cosine != want {
				t.Fatalf("%s and %s: cosine %v, that of their vectors is %v", p.A, p.B, p.Cosine, want)
			}
			if p.Matched {
				matched[p.A]++
				matched[p.B]++
			}
		}
		for _, cl := range c.Clusters {
			for _, j := range cl.A {
				clustered[j] = clustered[j] || cl.Equivalent
			}
		}
		for _, p := range a.Purposes {
			alone := slices.Contains(c.OnlyA, p.Ref)
			if matched[p.Ref] > 1 || alone && matched[p.Ref] > 0 || !alone && matched[p.Ref] == 0 && !clustered[p.J] {
				t.Fatalf("%s is in %d pairs, alone: %v, clusters %v", p.Ref, matched[p.Ref], alone, c.Clusters)
			}
		}
		if c.Equivalent && (len(c.OnlyA) > 0 || len(c.OnlyB) > 0) {
			t.Fatalf("equivalent, yet only a has %v and only b %v", c.OnlyA, c.OnlyB)
		}
	})
}

// TestLargestCluster: a longer chain of directions of nearly equal σ is no cluster.
func TestLargestCluster(t *testing.T) {
	for n, want := range map[int]int{largestCluster: 1, largestCluster + 1: 0} {
		set := &optionSet{Basis: schema.RightSingular}
		c := comparison{sets: [2]*optionSet{set, set}, limits: Limits{}.WithDefaults()}
		directions := slices.Repeat([]direction{{sigma: 1, image: []float64{1}, signed: [2]int{-1, -1}}}, n)
		c.directions = [2][]direction{directions, directions}
		c.covered = [2][]bool{make([]bool, n), make([]bool, n)}
		c.optionsDiffer = c.covered
		if err := c.compareSigmaClusters(t.Context()); err != nil || len(c.out.Clusters) != want {
			t.Errorf("%v, %d clusters of %d directions, want %d", err, len(c.out.Clusters), n, want)
		}
	}
}
