package stats

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
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
	e := Effect{Improvement: improvement(a, b, level)}
	difference := stat.Mean(b, nil) - stat.Mean(a, nil)
	if len(a) < 2 || len(b) < 2 {
		e.Difference = withoutInterval(difference)
		return e
	}
	se, freedom := welch(a, b)
	e.Difference = centred(difference, tQuantile(level, freedom)*se)
	e.PValue = tTest(difference, se, freedom)
	return e
}

// withoutInterval returns a value without an interval, nil if it overflowed.
func withoutInterval(value float64) *Estimate {
	if finite(value) == nil {
		return nil
	}
	return &Estimate{Value: value}
}

// welch returns the standard error of the difference of two means, and its degrees of freedom by
// Welch and Satterthwaite.
func welch(a, b []float64) (se, freedom float64) {
	n, m := float64(len(a)), float64(len(b))
	d := combine(0, stat.Variance(a, nil)/n, n-1, stat.Variance(b, nil)/m, m-1)
	return d.Error, d.Freedom
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
	e := Effect{Improvement: improvement(a, b, level)}
	difference := stat.Mean(differences, nil)
	if len(pairs) < 2 {
		e.Difference = withoutInterval(difference)
		return e
	}
	n := float64(len(pairs))
	e.Difference = centred(difference, studentHalf(differences, level))
	e.PValue = tTest(difference, stat.StdErr(stat.StdDev(differences, nil), n), n-1)
	return e
}
