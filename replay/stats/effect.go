package stats

import (
	"cmp"
	"slices"
)

// Pair holds a value of a and the value of b that belongs to it.
type Pair struct{ A, B float64 }

// Compare compares two independent samples.
func Compare(a, b []float64) Effect {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	t := newResampler(a, b)
	t.bFirst = slices.Compare(a, b) > 0
	return t.effect()
}

// Mean returns the mean of a sample with its interval, nil for an empty sample.
func Mean(values []float64) *Estimate {
	pairs := make([]Pair, len(values)) // each with 0
	for i, v := range values {
		pairs[i].B = v
	}
	return ComparePairs(pairs).Difference
}

// ComparePairs compares two paired samples.
func ComparePairs(pairs []Pair) Effect {
	byA := slices.SortedFunc(slices.Values(pairs), func(p, q Pair) int {
		return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B))
	})
	byB := slices.SortedFunc(slices.Values(pairs), func(p, q Pair) int {
		return cmp.Or(cmp.Compare(p.B, q.B), cmp.Compare(p.A, q.A))
	})
	crosswise := func(p, q Pair) int { return cmp.Or(cmp.Compare(p.A, q.B), cmp.Compare(p.B, q.A)) }
	ordered := byA
	if slices.CompareFunc(byA, byB, crosswise) > 0 {
		ordered = byB // as it is byA where a and b change places
	}
	var a, b []float64
	for _, p := range ordered {
		a, b = append(a, p.A), append(b, p.B)
	}
	t := newResampler(a, b)
	t.paired = true
	return t.effect()
}
