package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Effect describes how sample b differs from sample a. Fields are nil if a sample is empty.
type Effect struct {
	Difference  *Estimate `json:"difference"`  // mean of b − mean of a
	Improvement *Estimate `json:"improvement"` // P(b > a) + ½P(b = a)

	// PValue is the two-sided p-value of equal means, nil if the samples do not vary.
	PValue *float64 `json:"p_value"`
}

// Compare compares two independent samples, with intervals at the given level.
func Compare(a, b []float64, level float64) Effect {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	if len(a) == 0 || len(b) == 0 {
		return Effect{}
	}
	d := Deviation{Value: stat.Mean(b, nil) - stat.Mean(a, nil)}
	if len(a) > 1 && len(b) > 1 {
		ofA, freeA := meanVariance(a)
		ofB, freeB := meanVariance(b)
		d = combine(d.Value, ofA, freeA, ofB, freeB)
	}
	return Effect{d.At(level), improvement(a, b, level), d.PValue()}
}

// Pair holds a value of a and the corresponding value of b.
type Pair struct{ A, B float64 }

// ComparePairs compares two paired samples, with intervals at the given level.
func ComparePairs(pairs []Pair, level float64) Effect {
	var a, b, differences []float64
	for _, p := range pairs {
		a, b, differences = append(a, p.A), append(b, p.B), append(differences, p.B-p.A)
	}
	if len(pairs) == 0 {
		return Effect{}
	}
	slices.Sort(a)
	slices.Sort(b)
	// By magnitude, so that the differences of a and b add up like those of b and a.
	slices.SortFunc(differences, func(x, y float64) int {
		return cmp.Or(cmp.Compare(math.Abs(x), math.Abs(y)), cmp.Compare(x, y))
	})
	d := Deviation{Value: stat.Mean(differences, nil)}
	if n := float64(len(pairs)); n > 1 {
		d.Error, d.Freedom = stat.StdErr(stat.StdDev(differences, nil), n), n-1
	}
	return Effect{d.At(level), improvement(a, b, level), d.PValue()}
}

// improvement returns P(b > a) + ½P(b = a) over all pairs of two ascending samples, with Newcombe's interval if both
// have two values.
func improvement(a, b []float64, level float64) *Estimate {
	share := float64(winningHalves(a, b)) / float64(2*len(a)*len(b))
	if len(a) < 2 || len(b) < 2 {
		return &Estimate{Value: share}
	}
	low, high := newcombe(share, len(a), len(b), level)
	return &Estimate{Value: share, Low: &low, High: &high}
}

// winningHalves counts the pairs that b wins, each as 2 and a tie as 1.
func winningHalves(a, b []float64) (won int) {
	below, upTo := 0, 0 // values of a below the one of b, and up to it
	for _, v := range b {
		for below < len(a) && a[below] < v {
			below++
		}
		for upTo < len(a) && a[upTo] <= v {
			upTo++
		}
		won += below + upTo
	}
	return won
}

// newcombe returns the score interval of a probability of improvement over n × m pairs: all probabilities p from which
// the observed share differs by at most z standard deviations, by the variance of Hanley and McNeil at p. It lies
// within [0, 1], and exists for shares of 0 and 1, too.
func newcombe(share float64, n, m int, level float64) (low, high float64) {
	z := distuv.UnitNormal.Quantile((1 + level) / 2)
	return lowestScore(share, n, m, z), 1 - lowestScore(1-share, n, m, z)
}

// lowestScore returns the lower end of [newcombe], by bisection to the last bit.
func lowestScore(share float64, n, m int, z float64) float64 {
	low, high := 0.0, share // at low the share is too far away, at high it is not
	for {
		p := low + (high-low)/2
		if p <= low || p >= high {
			return high
		}
		if share-p > z*math.Sqrt(improvementVariance(p, n, m)) {
			low = p
		} else {
			high = p
		}
	}
}

// improvementVariance returns the variance of the share of winning pairs where the probability is
// p: that of Hanley and McNeil, in which Newcombe takes the mean of the sample sizes.
func improvementVariance(p float64, n, m int) float64 {
	others := float64(n+m)/2 - 1
	return p * (1 - p) * (1 + others*((1-p)/(2-p)+p/(1+p))) / float64(n*m)
}

// Significance is the level α of every test with a printed verdict.
const Significance = 1 - Level

// HolmOf returns the p-values that are not nil adjusted by [Holm], and nil for the others.
func HolmOf(p []*float64) []*float64 {
	var values []float64
	for _, x := range p {
		if x != nil {
			values = append(values, *x)
		}
	}
	values = Holm(values)
	adjusted := make([]*float64, len(p))
	for i, x := range p {
		if x != nil {
			adjusted[i], values = &values[0], values[1:]
		}
	}
	return adjusted
}

// Holm returns p-values adjusted for their number, in the order given: of the i-th smallest of n the largest of (n − j
// + 1)·p over the j-th smallest, j ≤ i, and at most 1 (Holm, "A simple sequentially rejective multiple test procedure",
// Scandinavian Journal of Statistics 6(2), 1979). Calling those at most α significant makes any false claim with a
// probability of at most α, however the tests depend on each other.
func Holm(p []float64) []float64 {
	order := make([]int, len(p))
	floats.ArgsortStable(slices.Clone(p), order)
	adjusted, most := make([]float64, len(p)), 0.0
	for rank, i := range order {
		most = max(most, min(1, float64(len(p)-rank)*p[i]))
		adjusted[i] = most
	}
	return adjusted
}

// A Verdict is the joint result of a test and an interval. Every text about a difference, or about a level above
// chance, is based on one.
type Verdict string

// The verdicts.
const (
	More      Verdict = "more"
	Less      Verdict = "less"
	Unsettled Verdict = "not settled"
	Untested  Verdict = "not tested" // too few values, or nothing varies
)

// Settle returns the verdict on an estimate, 0 meaning no difference. A difference is settled if its p-value, adjusted
// for the number of tests, is at most [Significance], and its interval, equally adjusted, excludes 0. Both are required
// because readers see both numbers, which could contradict each other. Without an interval a tested difference is not
// settled.
func Settle(adjusted *float64, e *Estimate) Verdict {
	switch {
	case adjusted == nil:
		return Untested
	case *adjusted > Significance || e == nil || e.Low == nil || e.High == nil:
		return Unsettled
	case *e.Low > 0:
		return More
	case *e.High < 0:
		return Less
	}
	return Unsettled
}

// IsSettled reports whether a difference was found.
func (v Verdict) IsSettled() bool { return v == More || v == Less }
