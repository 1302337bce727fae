package stats

import "math"

// A Deviation is an estimate with what an interval at any level takes: its standard error and degrees of freedom.
type Deviation struct {
	Value   float64
	Error   float64
	Freedom float64 // 0 if there are too few values for an error
}

// At returns the estimate with its interval of Student's t at a level.
func (d Deviation) At(level float64) *Estimate {
	if d.Freedom == 0 {
		return withoutInterval(d.Value)
	}
	half := 0.0
	if d.Error > 0 {
		half = tQuantile(level, d.Freedom) * d.Error
	}
	return centred(d.Value, half)
}

// PValue returns the two-sided p-value of 0, nil without an error to hold the value against.
func (d Deviation) PValue() *float64 {
	if d.Freedom == 0 {
		return nil
	}
	return tTest(d.Value, d.Error, d.Freedom)
}

// combine returns a value with the sum of two variances, with the degrees of freedom of Satterthwaite.
func combine(value, a, freeA, b, freeB float64) Deviation {
	sum := a + b
	if sum == 0 {
		return Deviation{Value: value, Freedom: freeA + freeB}
	}
	shareA, shareB := a/sum, b/sum // so that no square underflows
	return Deviation{Value: value, Error: math.Sqrt(sum), Freedom: 1 / (shareA*shareA/freeA + shareB*shareB/freeB)}
}
