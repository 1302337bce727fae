package stats

import (
	"math"
	"slices"
)

// Samples is two independent samples of one kind.
type Samples struct{ A, B []float64 }

// ImprovementOver returns the mean over strata of P(b > a) + ½P(b = a), in which each counts the same, and the
// two-sided p-value of the rank-sum test over them (van Elteren): that of the normal approximation, with corrections
// for ties. Its interval at the given level is that of Newcombe's intervals, whose distances are squared and added. It
// is nil if a sample is empty; interval and p-value need two values in each, the latter some that differ.
func ImprovementOver(strata []Samples, level float64) (mean *Estimate, p *float64) {
	var sum, below, above, variance float64
	known := len(strata) > 0
	for _, s := range strata {
		a, b := slices.Sorted(slices.Values(s.A)), slices.Sorted(slices.Values(s.B))
		if len(a) == 0 || len(b) == 0 {
			return nil, nil
		}
		e := improvement(a, b, level)
		if sum += e.Value; e.Low == nil {
			known = false
			continue
		}
		below += square(e.Value - *e.Low)
		above += square(*e.High - e.Value)
		ties := tieTerm(slices.Sorted(slices.Values(slices.Concat(a, b))))
		variance += rankSumVariance(len(a), len(b), ties) / square(float64(len(a)*len(b)))
	}
	n := float64(len(strata))
	switch {
	case len(strata) == 0:
		return nil, nil
	case !known:
		return &Estimate{Value: sum / n}, nil
	}
	mean = &Estimate{Value: sum / n, Low: finite((sum - math.Sqrt(below)) / n), High: finite((sum + math.Sqrt(above)) / n)}
	if variance == 0 {
		return mean, nil
	}
	return mean, normalTail(math.Abs(sum-n/2) / math.Sqrt(variance))
}

func square(x float64) float64 { return float64(x * x) }
