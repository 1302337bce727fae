package stats

import (
	"cmp"
	"slices"
)

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
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(p[i], p[j]) })
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
