package stats

import (
	"cmp"
	"slices"
)

// Estimate is a number with its interval, which is nil where there are too few
// values to resample.
type Estimate struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"interval_low"`
	High  *float64 `json:"interval_high"`
}

// Effect is how sample b differs from sample a, nil where one has no value.
type Effect struct {
	Difference  *Estimate `json:"difference"`  // mean of b − mean of a
	Improvement *Estimate `json:"improvement"` // P(b > a) + ½P(b = a)
}

// Pair is a value of a and the value of b that belongs to it.
type Pair struct{ A, B float64 }

// Compare sets two independent samples side by side.
func Compare(a, b []float64) Effect {
	a, b = slices.Sorted(slices.Values(a)), slices.Sorted(slices.Values(b))
	if slices.Compare(a, b) > 0 {
		return newTrial(b, a, false).effect().mirrored()
	}
	return newTrial(a, b, false).effect()
}

// ComparePairs sets two samples side by side whose values belong together.
func ComparePairs(pairs []Pair) Effect {
	forth := slices.SortedFunc(slices.Values(pairs), byBoth)
	back := slices.Clone(pairs)
	for i, p := range back {
		back[i] = Pair{A: p.B, B: p.A}
	}
	slices.SortFunc(back, byBoth)
	if slices.CompareFunc(forth, back, byBoth) > 0 {
		return pairedTrial(back).effect().mirrored()
	}
	return pairedTrial(forth).effect()
}

func byBoth(p, q Pair) int { return cmp.Or(cmp.Compare(p.A, q.A), cmp.Compare(p.B, q.B)) }

// mirrored is the effect seen from the other sample.
func (e Effect) mirrored() Effect {
	return Effect{Difference: e.Difference.from(0), Improvement: e.Improvement.from(1)}
}

// from is top minus the estimate.
func (e *Estimate) from(top float64) *Estimate {
	if e == nil {
		return nil
	}
	less := func(x *float64) *float64 {
		if x == nil {
			return nil
		}
		y := top - *x
		return &y
	}
	return &Estimate{Value: top - e.Value, Low: less(e.High), High: less(e.Low)}
}
