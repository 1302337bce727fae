package diff

import (
	"math"

	"gonum.org/v1/gonum/floats"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/stats"
)

// DistinctPurpose is one purpose, however many runs and iterations found it. It is named after its
// medoid, the direction most similar to all others.
type DistinctPurpose struct {
	Name       string    `json:"name"` // RUN:K/J+
	Vector     []float64 `json:"vector"`
	Sigma      float64   `json:"sigma"`      // mean
	Directions int       `json:"directions"` // found in all
	Runs       int       `json:"runs"`       // that found it
	Prevalence float64   `json:"prevalence"` // share of runs
	Low        float64   `json:"low"`        // of its 95 % interval (Wilson)
	High       float64   `json:"high"`
	First      int       `json:"first"` // earliest iteration
	Found      []*int    `json:"found"` // by run: first iteration, nil where it did not
}

func newDistinctPurpose(items []foundDirection, members []int, runs int) DistinctPurpose {
	name := items[medoid(items, members)]
	d := DistinctPurpose{
		Name: name.ref, Vector: name.vector, Directions: len(members), First: name.k, Found: make([]*int, runs),
	}
	for _, i := range members {
		it := items[i]
		d.Sigma += it.sigma / float64(len(members))
		d.First = min(d.First, it.k)
		if d.Found[it.run] == nil {
			d.Found[it.run] = &it.k // items are in order of k
			d.Runs++
		}
	}
	d.Prevalence = float64(d.Runs) / float64(runs)
	d.Low, d.High = stats.Wilson(d.Runs, runs)
	return d
}

// medoid returns the member with the largest Σ|cos_M| to all members, the first one on ties.
func medoid(items []foundDirection, members []int) int {
	sums := make([]float64, len(members))
	for i, x := range members {
		for j, y := range members[:i] {
			c := math.Abs(pod.Cosine(items[x].image, items[y].image))
			sums[i] += c
			sums[j] += c
		}
	}
	return members[floats.MaxIdx(sums)]
}

// foundDirection is a direction of iteration k of a run.
type foundDirection struct {
	direction
	run, k int
	ref    string
}
