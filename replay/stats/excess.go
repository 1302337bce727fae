package stats

import (
	"slices"

	"gonum.org/v1/gonum/stat"
)

// Chance returns the mean similarity of reference members, with each pair of strata weighted by its number of pairs of
// observed members. Each stratum with observed members must have two reference members.
func (p Permutation) Chance() float64 {
	var means, weights []float64
	for i, a := range p.Strata {
		for j, b := range p.Strata[:i+1] {
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
						sum, n = sum+p.Similarity[one][other], n+1
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
func (p Permutation) Excess() *Deviation {
	observed := p.observed()
	n := len(observed)
	if n < 2 {
		return nil
	}
	matrix := make([][]float64, n)
	for i, x := range observed {
		for _, y := range observed {
			matrix[i] = append(matrix[i], p.Similarity[x][y])
		}
	}
	mean, variance := meanOverPairs(matrix)
	ofChance, freedom := p.chanceVariance()
	excess := mean - p.Chance()
	d := Deviation{Value: excess}
	if n >= 3 && freedom > 0 {
		d = combine(excess, variance, float64(n-1), ofChance, freedom)
	}
	return &d
}

// chanceVariance returns the variance of the chance level, and its degrees of freedom: 0 if a stratum has too few
// reference members.
func (p Permutation) chanceVariance() (variance, freedom float64) {
	for i, s := range p.Strata {
		references := len(s.Members) - s.Observed
		if references < 3 {
			return 0, 0
		}
		var without []float64
		for at := range references {
			without = append(without, p.leaveOut(i, s.Observed+at).Chance())
		}
		variance, freedom = variance+jackknifeVariance(without), freedom+float64(references-1)
	}
	return variance, freedom
}

// leaveOut returns the permutation without one member of a stratum.
func (p Permutation) leaveOut(stratum, at int) Permutation {
	p.Strata = slices.Clone(p.Strata)
	s := &p.Strata[stratum]
	s.Members = slices.Delete(slices.Clone(s.Members), at, at+1)
	return p
}
