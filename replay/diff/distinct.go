package diff

import (
	"cmp"
	"slices"

	"github.com/podtrack/podtrack/replay/stats"
)

// Distinct is a purpose or an option that runs of a group found: a representative, and its members, which are all
// within the threshold of it. No two representatives are within the threshold of each other.
type Distinct struct {
	Name       string    `json:"name"`             // of the representative: RUN:K/J+
	Vector     []float64 `json:"vector,omitempty"` // of a purpose
	Sigma      float64   `json:"sigma"`            // mean over the members
	Members    int       `json:"members"`          // within the threshold
	Directions int       `json:"directions"`       // equal to Members
	Runs       int       `json:"runs"`             // number with a member
	Prevalence float64   `json:"prevalence"`       // share of runs
	Low        float64   `json:"low"`              // of its 95 % interval (Wilson)
	High       float64   `json:"high"`
	First      int       `json:"first"` // earliest iteration of a member
	Found      []*int    `json:"found"` // by run: first iteration with a member, nil for none

	purpose []float64 // of the representative, with the sign of an option
}

// Purpose returns the vector of the representative's purpose, which has an option's sign.
func (d *Distinct) Purpose() []float64 { return d.purpose }

// foundItem is a direction or an option that a run found in iteration k.
type foundItem struct {
	run, k int
	ref    string
	sigma  float64
	vector []float64 // of a direction

	purpose []float64 // the vector of a direction, or of an option's purpose
}

// newDistinct returns a representative with its members, in order of run and iteration.
func newDistinct(found []foundItem, representative int, members []int, runs int) Distinct {
	name := found[representative]
	d := Distinct{
		Name: name.ref, Vector: name.vector, purpose: name.purpose,
		Members: len(members), Directions: len(members), First: name.k,
		Found: make([]*int, runs),
	}
	for _, i := range members {
		it := found[i]
		d.Sigma += it.sigma / float64(len(members))
		d.First = min(d.First, it.k)
		if d.Found[it.run] == nil {
			d.Found[it.run] = &it.k
			d.Runs++
		}
	}
	d.Prevalence = float64(d.Runs) / float64(runs)
	d.Low, d.High = stats.Wilson(d.Runs, runs)
	return d
}

// orderDistinct sorts by the number of runs, most first.
func orderDistinct(list []Distinct) {
	slices.SortStableFunc(list, func(p, q Distinct) int {
		return cmp.Or(-cmp.Compare(p.Runs, q.Runs), cmp.Compare(p.First, q.First), -cmp.Compare(p.Sigma, q.Sigma))
	})
}
