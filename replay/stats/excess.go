package stats

import (
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Chance returns the mean similarity of reference members, with each pair of strata weighted by its number of pairs of
// observed members. Each stratum with observed members must have two reference members.
func (t Permutation) Chance() float64 {
	var means, weights []float64
	for i, a := range t.Strata {
		for j, b := range t.Strata[:i+1] {
			pairs := a.Observed * b.Observed
			if i == j {
				pairs = a.Observed * (a.Observed - 1) / 2
			}
			if pairs == 0 {
				continue
			}
			sum, n := 0.0, 0
			for x, one := range a.Members[a.Observed:] {
				for y, other := range b.Members[b.Observed:] {
					if i != j || y < x {
						sum, n = sum+t.Similarity[one][other], n+1
					}
				}
			}
			means, weights = append(means, sum/float64(n)), append(weights, float64(pairs))
		}
	}
	return stat.Mean(means, weights)
}

// Excess returns how far the mean similarity of the observed members lies above that of reference members. The variance
// of both means is that of the delete-one jackknife, of the reference members stratum by stratum, and the degrees of
// freedom are those of Welch and Satterthwaite. It is nil for fewer than two observed members. An interval needs three,
// and three reference members in each stratum.
func (t Permutation) Excess() *Deviation {
	observed := t.observed()
	n := len(observed)
	if n < 2 {
		return nil
	}
	matrix := make([][]float64, n)
	for i, x := range observed {
		for _, y := range observed {
			matrix[i] = append(matrix[i], t.Similarity[x][y])
		}
	}
	mean, variance := meanOverPairs(matrix)
	ofChance, freedom := t.chanceVariance()
	excess := mean - t.Chance()
	d := Deviation{Value: excess}
	if n >= 3 && freedom > 0 {
		d = combine(excess, variance, float64(n-1), ofChance, freedom)
	}
	return &d
}

// chanceVariance returns the variance of the chance level, and its degrees of freedom: 0 if a stratum has too few
// reference members.
func (t Permutation) chanceVariance() (variance, freedom float64) {
	for i, s := range t.Strata {
		references := len(s.Members) - s.Observed
		if references < 3 {
			return 0, 0
		}
		var without []float64
		for at := range references {
			without = append(without, t.leaveOut(i, s.Observed+at).Chance())
		}
		variance, freedom = variance+jackknifeVariance(without), freedom+float64(references-1)
	}
	return variance, freedom
}

// leaveOut returns the permutation without one member of a stratum.
func (t Permutation) leaveOut(stratum, at int) Permutation {
	t.Strata = slices.Clone(t.Strata)
	s := &t.Strata[stratum]
	s.Members = slices.Delete(slices.Clone(s.Members), at, at+1)
	return t
}
