package diff

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

// Clustering holds the distinct purposes that many runs of one environment discovered.
type Clustering struct {
	Runs       []Member          `json:"runs"`
	Empty      []Member          `json:"empty"`     // left out, because they have no iterations
	Threshold  float64           `json:"threshold"` // of |cos_M|: any two of a purpose's directions reach it
	Chance     ChanceLevel       `json:"chance"`    // for two sets of the largest size
	Dimensions int               `json:"dimensions"`
	Directions int               `json:"directions"` // of all iterations of all runs
	Purposes   []DistinctPurpose `json:"purposes"`   // the most common first
	// run × run: mean |cos_M| of matched directions over common iterations
	Similarity [][]*float64 `json:"similarity"`
}

// Member describes a run of a clustering.
type Member struct {
	Run        schema.Digest `json:"run"`
	Label      string        `json:"label"`
	Seed       uint64        `json:"seed"`
	Iterations int           `json:"iterations"`
}

// maxDirections limits the matrix of all pairs to 512 MiB.
const maxDirections = 1 << 14

// ClusterRuns finds the distinct purposes of runs by complete-linkage clustering of all their
// directions on |cos_M|, cut at the threshold.
func ClusterRuns(ctx context.Context, runs []*Run, limits Limits) (Clustering, error) {
	g := Clustering{Runs: []Member{}, Empty: []Member{}, Purposes: []DistinctPurpose{}, Similarity: [][]*float64{}}
	runs, err := g.addRuns(runs)
	if err != nil || len(runs) == 0 {
		return g, err
	}
	m, err := groupMetric(ctx, runs)
	if err != nil {
		return g, err
	}
	sets, err := allDirections(ctx, m, runs)
	if err != nil {
		return g, err
	}
	items := flatten(runs, sets)
	g.Dimensions, g.Directions = m.Rank(), len(items)
	if len(items) > maxDirections {
		return g, schema.Hint(fmt.Errorf("%d purposes of %d runs: more than %d %w with each other", len(items),
			len(runs), maxDirections, ErrIncomparable), "about %d of these runs can; choose fewer",
			len(runs)*maxDirections/len(items))
	}
	largest := largestSet(sets)
	g.Chance = m.Chance(largest, largest)
	g.Threshold = limits.cosine(g.Chance)
	for _, members := range completeLinkage(len(items), g.Threshold,
		func(i, j int) float64 { return math.Abs(pod.Cosine(items[i].image, items[j].image)) }) {
		g.Purposes = append(g.Purposes, newDistinctPurpose(items, members, len(runs)))
	}
	slices.SortStableFunc(g.Purposes, func(p, q DistinctPurpose) int {
		return cmp.Or(-cmp.Compare(p.Runs, q.Runs), cmp.Compare(p.First, q.First), -cmp.Compare(p.Sigma, q.Sigma))
	})
	g.Similarity = similarities(sets)
	return g, nil
}

// addRuns lists the runs and returns those with iterations. Runs that share iterations are
// rejected: their discoveries are not independent.
func (g *Clustering) addRuns(runs []*Run) (found []*Run, err error) {
	var reports []report.Run
	for _, r := range runs {
		if err := checkComparable(runs[0], r); err != nil {
			return nil, err
		}
		m := Member{Run: r.ID, Label: r.Label(), Seed: r.Seed, Iterations: len(r.Iterations)}
		if len(r.Iterations) == 0 {
			g.Empty = append(g.Empty, m)
			continue
		}
		g.Runs, found, reports = append(g.Runs, m), append(found, r), append(reports, r.Run)
	}
	return found, report.CheckIndependent(reports)
}

// groupMetric returns the metric of the model, or that of all datasets together if there is no
// model.
func groupMetric(ctx context.Context, runs []*Run) (*Metric, error) {
	if env, ok := pod.As[pod.SimulatedEnv](runs[0].env); ok {
		return ModelMetric(env), nil
	}
	return pooledMetric(ctx, runs...)
}

// allDirections returns the directions by run and iteration.
func allDirections(ctx context.Context, m *Metric, runs []*Run) ([][][]direction, error) {
	sets := make([][][]direction, len(runs))
	for i, r := range runs {
		for k := range r.Iterations {
			it, err := r.readIteration(ctx, k)
			if err != nil {
				return nil, err
			}
			sets[i] = append(sets[i], (&Set{Purposes: withoutRefs(it.purposes)}).directions(m))
		}
	}
	return sets, nil
}

func flatten(runs []*Run, sets [][][]direction) []foundDirection {
	var items []foundDirection
	for i, byK := range sets {
		for k, ds := range byK {
			for _, d := range ds {
				items = append(items, foundDirection{direction: d, run: i, k: k, ref: runs[i].OptionRef(k, d.j, 1)})
			}
		}
	}
	return items
}

func largestSet(sets [][][]direction) int {
	n := 0
	for _, byK := range sets {
		for _, ds := range byK {
			n = max(n, len(ds))
		}
	}
	return n
}

// similarities returns the symmetric matrix of similarities, nil for two runs without a common
// iteration.
func similarities(sets [][][]direction) [][]*float64 {
	table := make([][]*float64, len(sets))
	for i := range table {
		table[i] = make([]*float64, len(sets))
		for j := range i + 1 {
			x := similarity(sets[i], sets[j])
			table[i][j], table[j][i] = x, x
		}
	}
	return table
}

func similarity(a, b [][]direction) *float64 {
	sum, n := 0.0, 0
	for k := range min(len(a), len(b)) {
		for _, c := range matchedCosines(images(a[k]), images(b[k])) {
			sum += c
			n++
		}
	}
	if n == 0 {
		return nil
	}
	mean := sum / float64(n)
	return &mean
}
