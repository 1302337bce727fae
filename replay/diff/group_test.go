package diff

import (
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/internal/behaviours"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
)

func cluster(t testing.TB, runs []*Side, options GroupOptions) Clustering {
	t.Helper()
	g, err := clusterSides(t.Context(), runs, options)
	ok(t, err)
	return g
}

func tinyRuns(t testing.TB, n, iterations int) []*Side {
	var specs []schema.Spec
	for seed := range uint64(n) {
		specs = append(specs, tiny(seed))
	}
	return perform(t, iterations, specs...)
}

// TestGroup compares what is said of distinct purposes and options with the purposes and options themselves: no two
// representatives are within the threshold of each other, and the runs of one are those with a member within the
// threshold of it.
func TestGroup(t *testing.T) {
	all := tinyRuns(t, 5, 3)
	g := cluster(t, all, GroupOptions{Draws: 99})
	m := modelMetric(t, all[0].Env.(envs.SimulatedEnv))
	cosine := func(a, b named) float64 { return math.Abs(m.Cos(a.vector, b.vector)) }
	checkDistinct(t, g.Purposes, directionsOf(t, all), cosine)
	visits := visitsOf(t, all)
	similarity := func(a, b named) float64 { return behaviours.Similarity(a.behaviour, b.behaviour, visits) }
	checkDistinct(t, g.Options.Distinct, optionsOf(t, all), similarity)
	if n := len(directionsOf(t, all)); n != g.Directions || len(optionsOf(t, all)) != g.Options.Count {
		t.Errorf("%d directions and %d options, want %d", g.Directions, g.Options.Count, n)
	}
	for i, row := range g.Similarity {
		for j, x := range row {
			if want := meanMatched(t, all[i], all[j]); *x != *g.Similarity[j][i] || math.Abs(*x-want) > rounding {
				t.Errorf("runs %d and %d are %v alike, want %v", i, j, *x, want)
			}
		}
	}
}

// TestSimilarityIsOfWhatIsCompared: by options, the similarity of two runs and what is distinct are those of options,
// which differ from those of purposes; by purposes they are those of purposes.
func TestSimilarityIsOfWhatIsCompared(t *testing.T) {
	runs := tinyRuns(t, 3, 2)
	for _, by := range []Kind{Purposes, Options} {
		g := cluster(t, runs, GroupOptions{By: by, Draws: 30})
		want, distinct := g.Similarity, g.Purposes
		if by == Options {
			want, distinct = g.Options.Similarity, g.Options.Distinct
			if reflect.DeepEqual(want, g.Similarity) || reflect.DeepEqual(distinct, g.Purposes) {
				t.Fatal("options are as similar as purposes are, which tells nothing")
			}
		}
		if !reflect.DeepEqual(want, g.RunSimilarity()) || !reflect.DeepEqual(distinct, g.Distinct()) {
			t.Errorf("by %s: not what is compared", by)
		}
	}
}

// named is a direction or an option by its reference.
type named struct {
	ref       string
	run       int
	vector    []float64
	behaviour *behaviours.Behaviour
}

func directionsOf(t *testing.T, runs []*Side) (list []named) {
	for _, n := range optionsOf(t, runs) {
		if strings.HasSuffix(n.ref, "+") {
			list = append(list, n)
		}
	}
	return list
}

func optionsOf(t *testing.T, runs []*Side) (list []named) {
	for run, r := range runs {
		for k := range r.Iterations {
			_, purposes, err := r.Selection(k)
			ok(t, err)
			for i, p := range purposes {
				b, err := r.behaviour(k, i)
				ok(t, err)
				list = append(list, named{report.OptionRef(r.Label(), k, p.J, p.Sign), run, p.Vector, b})
			}
		}
	}
	return list
}

func visitsOf(t *testing.T, runs []*Side) (all []behaviours.StateVisits) {
	for _, r := range runs {
		for k := range r.Iterations {
			visits, err := r.visits(k)
			ok(t, err)
			all = append(all, visits...)
		}
	}
	return all
}

func checkDistinct(t *testing.T, list []Distinct, all []named, similarity func(a, b named) float64) {
	t.Helper()
	var representatives []named
	for _, d := range list {
		at := slices.IndexFunc(all, func(n named) bool { return n.ref == d.Name })
		representatives = append(representatives, all[at])
	}
	for i, d := range list {
		members, runs := 0, map[int]bool{}
		for _, n := range all {
			if similarity(n, representatives[i]) >= Threshold {
				members++
				runs[n.run] = true
			}
		}
		if d.Members != members || d.Runs != len(runs) || d.Runs > list[0].Runs ||
			d.Prevalence != float64(d.Runs)/float64(len(d.Found)) {
			t.Errorf("%s: %d members in %d runs, want %d in %d", d.Name, d.Members, d.Runs, members, len(runs))
		}
		if low, high := stats.Wilson(d.Runs, len(d.Found)); d.Low != low || d.High != high {
			t.Errorf("%s: interval %v to %v", d.Name, d.Low, d.High)
		}
		for run, k := range d.Found {
			if (k != nil) != runs[run] {
				t.Errorf("%s: run %d found it: %v, want %v", d.Name, run, k != nil, runs[run])
			}
		}
		for j := range i {
			if x := similarity(representatives[i], representatives[j]); x >= Threshold {
				t.Errorf("%s and %s are two, with a similarity of %v", d.Name, list[j].Name, x)
			}
		}
	}
}

// meanMatched returns the mean over the matched directions of all iterations.
func meanMatched(t *testing.T, a, b *Side) float64 {
	sum, n := 0.0, 0.0
	for _, it := range runs(t, a, b, Limits{}).Iterations {
		for _, p := range it.Pairs {
			sum, n = sum+p.Cosine, n+1
		}
	}
	return sum / n
}

// TestGroupInAnotherOrder: which run comes first makes no difference to the verdict, and to what is observed.
func TestGroupInAnotherOrder(t *testing.T) {
	all := tinyRuns(t, 5, 3)
	g := cluster(t, all, GroupOptions{})
	slices.Reverse(all)
	back := cluster(t, all, GroupOptions{})
	if g.Verdict != back.Verdict {
		t.Errorf("%q and %q", g.Verdict, back.Verdict)
	}
	for i, a := range g.Iterations {
		closeTo(t, "observed", *back.Iterations[i].Observed, *a.Observed)
		closeTo(t, "chance", *back.Iterations[i].Chance, *a.Chance)
	}
}

// TestGroupOfNothing: a group may have no purpose at all.
func TestGroupOfNothing(t *testing.T) {
	for name, group := range map[string][]*Side{"no iteration": {begun(t, tiny(0))},
		"no purpose": perform(t, 2, with(t, tiny(0), "kappa", "1000"))} {
		g := cluster(t, group, GroupOptions{})
		if len(g.Purposes) != 0 || g.Directions != 0 || g.Chance != (ChanceLevel{}) ||
			len(g.Runs)+len(g.Empty) != len(group) || len(g.Similarity) > 0 && g.Similarity[0][0] != nil {
			t.Errorf("%s: %+v", name, g)
		}
	}
}

// TestGroupProgress: what is done never falls, ends with all of it, and reading the runs is one of the phases that take
// about as long as each other.
func TestGroupProgress(t *testing.T) {
	runs := tinyRuns(t, 4, 3)
	for by, phases := range map[Kind]float64{Purposes: 4, Options: 7} {
		var shares []float64
		cluster(t, runs, GroupOptions{By: by, Draws: 30, Progress: func(done, total int64) {
			shares = append(shares, float64(done)/float64(total))
		}})
		read, end := shares[4*3-1], shares[len(shares)-1]
		if !slices.IsSorted(shares) || math.Abs(read-1/phases) > 0.001 || end < 0.999 || end > 1 {
			t.Errorf("by %s: %v", by, shares)
		}
	}
}

// TestDistinctSumsUpMembers: the range of σ, the unstable members and the doubles of what several runs found are those
// of its members. A member is unstable below the narrow gap, and not without another σ.
func TestDistinctSumsUpMembers(t *testing.T) {
	list := cluster(t, tinyRuns(t, 8, 4), GroupOptions{Draws: 30}).Options.Distinct
	doubles := 0
	for _, d := range list {
		if d.Runs < 2 {
			continue
		}
		var sigma []float64
		others := -1
		for _, x := range d.Each {
			sigma = append(sigma, x.Sigma)
			if x.Name == d.Name && x.End != d.End {
				t.Errorf("%s ends in %q, the same as a member in %q", d.Name, d.End, x.End)
			}
		}
		for _, other := range list {
			if other.Runs > 1 && other.End == d.End {
				others++
			}
		}
		if d.SigmaLow != slices.Min(sigma) || d.SigmaHigh != slices.Max(sigma) || d.End == "" || d.Doubles != others {
			t.Errorf("%+v", d)
		}
		doubles += d.Doubles
	}
	if doubles == 0 {
		t.Error("no doubles, which tells nothing")
	}
	item := func(gap *float64) foundItem { return foundItem{ref: "a:0/1+", sigma: 2, gap: gap} }
	d := newDistinct([]foundItem{item(new(0.5)), item(new(NarrowGap / 2)), item(nil), item(new(NarrowGap))}, 0, upTo(4), 1)
	if d.Unstable != 1 {
		t.Errorf("%d unstable members, want 1", d.Unstable)
	}
}
