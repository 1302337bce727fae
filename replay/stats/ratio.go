package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
)

// Ratio returns the mean of b divided by the mean of a, with its interval at the given level: Fieller's, of
// paired normal samples (Journal of the Royal Statistical Society B 16, 1954). The interval is nil if the
// mean of a is not beyond its error from 0, and the ratio nil if it is 0.
func Ratio(pairs []Pair, level float64) *Estimate {
	var a, b []float64
	for _, p := range pairs {
		a, b = append(a, p.A), append(b, p.B)
	}
	n := float64(len(pairs))
	if n == 0 || stat.Mean(a, nil) == 0 {
		return nil
	}
	x, y := stat.Mean(a, nil), stat.Mean(b, nil)
	e := &Estimate{Value: y / x}
	if n < 2 {
		return e
	}
	t := tQuantile(level, n-1)
	f := t * t / n
	// θ with (y − θx)² ≤ f·var(b − θa): pθ² − 2qθ + r ≤ 0
	p, q, r := x*x-f*stat.Variance(a, nil), x*y-f*stat.Covariance(a, b, nil), y*y-f*stat.Variance(b, nil)
	if d := q*q - p*r; p > 0 && d >= 0 {
		e.Low, e.High = finite((q-math.Sqrt(d))/p), finite((q+math.Sqrt(d))/p)
	}
	return e
}
