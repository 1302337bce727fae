package stats

import (
	"context"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"

	"github.com/podtrack/podtrack/pod/rng"
)

// DefaultDraws is the number of draws of a permutation test unless another is asked for.
const DefaultDraws = 9999

// PermutationSeed is the seed of every permutation test.
const PermutationSeed = 2016

const tieSlack = 1e-12 // bounds what rounding makes of means of the same pairs in another order

// A Permutation tests whether members of several strata are more similar to each other than reference members of the
// same strata. Under its null hypothesis the members of a stratum, observed and reference, are exchangeable.
type Permutation struct {
	Similarity [][]float64 // symmetric, of all members
	Strata     []Stratum   // that together contain each member once
	Draws      int
	Use        string // names the stream of random numbers
}

// A Stratum is a set of exchangeable members.
type Stratum struct {
	Members  []int // the observed ones first
	Observed int   // how many of them are observed
}

// Test returns the p-value: (1 + draws at least as similar as observed) / (1 + draws). It draws as many members of each
// stratum as are observed, without replacement, and counts the draws whose mean similarity over pairs is at least the
// observed one; a difference of less than 1e-12 is a tie, and counts. The observed members are among those that can be
// drawn, which makes the test exact: under the null hypothesis p ≤ α has a probability of at most α (Hemerik and
// Goeman, "Exact testing with random permutations", TEST 27, 2018).
func (p Permutation) Test(ctx context.Context) (pValue float64, err error) {
	observed := p.mean(p.observed())
	reached := 0
	err = p.EachDraw(ctx, func(members []int) {
		if p.mean(members) >= observed-tieSlack {
			reached++
		}
	})
	return float64(1+reached) / float64(1+p.Draws), err
}

// EachDraw calls f with the members of each draw, which are valid until the next.
func (p Permutation) EachDraw(ctx context.Context, f func(members []int)) error {
	stream := rng.NewStream(PermutationSeed, 0, "permutation "+p.Use)
	var members []int
	shuffled := make([][]int, len(p.Strata))
	for i, s := range p.Strata {
		shuffled[i] = slices.Clone(s.Members)
	}
	for range p.Draws {
		if err := ctx.Err(); err != nil {
			return err
		}
		members = members[:0]
		for i, s := range p.Strata {
			stream.DrawFirst(shuffled[i], s.Observed)
			members = append(members, shuffled[i][:s.Observed]...)
		}
		f(members)
	}
	return nil
}

func (p Permutation) observed() (members []int) {
	for _, s := range p.Strata {
		members = append(members, s.Members[:s.Observed]...)
	}
	return members
}

// mean returns the mean similarity of the members' pairs.
func (p Permutation) mean(members []int) float64 {
	sum := 0.0
	for i, x := range members {
		row := p.Similarity[x]
		for _, y := range members[:i] {
			sum += row[y]
		}
	}
	return sum / float64(len(members)*(len(members)-1)/2)
}

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
	d := &Deviation{Value: mean - p.Chance()}
	if n >= 3 && freedom > 0 {
		*d = combine(d.Value, variance, float64(n-1), ofChance, freedom)
	}
	return d
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

// MeanOverPairs returns the mean of a symmetric matrix over all pairs of distinct members, with the 95 %
// interval of the delete-one jackknife. Pairs share members, so the jackknife leaves out a member with all of
// its pairs (Arvesen, "Jackknifing U-statistics", The Annals of Mathematical Statistics 40(6), 1969): with θᵢ
// the mean without member i, the standard error is √((n − 1)/n · Σ(θᵢ − mean of θ)²), times Student's t with n
// − 1 degrees of freedom. It is nil for fewer than two members; the interval takes three.
func MeanOverPairs(matrix [][]float64) *Estimate {
	n := len(matrix)
	if n < 2 {
		return nil
	}
	value, variance := meanOverPairs(matrix)
	d := Deviation{Value: value}
	if n > 2 {
		d.Error, d.Freedom = math.Sqrt(variance), float64(n-1)
	}
	return d.At(Level)
}

// meanOverPairs returns the mean over the pairs of at least two members, and its variance, which needs three.
func meanOverPairs(matrix [][]float64) (mean, variance float64) {
	n := len(matrix)
	rows, total := make([]float64, n), 0.0
	for i, row := range matrix {
		for j, x := range row {
			if i != j {
				rows[i] += x
			}
		}
		total += rows[i] / 2
	}
	mean = total / float64(n*(n-1)/2)
	if n < 3 {
		return mean, 0
	}
	without := make([]float64, n)
	for i := range without {
		without[i] = (total - rows[i]) / float64((n-1)*(n-2)/2)
	}
	return mean, jackknifeVariance(without)
}

// jackknifeVariance returns the variance of an estimate, given the estimates without each of the members.
func jackknifeVariance(without []float64) (variance float64) {
	n := float64(len(without))
	mean := floats.Sum(without) / n
	for _, x := range without {
		variance += (x - mean) * (x - mean)
	}
	return variance * (n - 1) / n
}
