package stats

import (
	"math"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Names of the methods of intervals, as documents and tables give them.
const (
	StudentT = "Student's t"
	WelchT   = "Welch's t"
	PairedT  = "Student's t of the pairs"
	Newcombe = "Newcombe's score method"
)

// Estimate is a number with its interval, which is nil if there are too few values for one.
type Estimate struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"interval_low"`
	High  *float64 `json:"interval_high"`
}

// Within returns the estimate of a quantity that cannot lie outside low to high, with its interval
// clipped to that range: no coverage is lost.
func (e *Estimate) Within(low, high float64) *Estimate {
	if e == nil || e.Low == nil || e.High == nil {
		return e
	}
	from, to := min(max(*e.Low, low), high), min(max(*e.High, low), high)
	return &Estimate{Value: e.Value, Low: &from, High: &to}
}

// centred returns a value with the interval of that half-width, nil if the value overflowed.
func centred(value, half float64) *Estimate {
	if finite(value) == nil {
		return nil
	}
	return &Estimate{Value: value, Low: finite(value - half), High: finite(value + half)}
}

// tQuantile returns how many standard errors an interval of Student's t reaches to either side.
func tQuantile(level, freedom float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile((1 + level) / 2)
}

// tTest returns the two-sided p-value of a difference with the given standard error.
func tTest(difference, se, freedom float64) *float64 {
	if se == 0 || finite(difference) == nil || finite(se) == nil {
		return nil
	}
	t := math.Abs(difference / se)
	return finite(2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.CDF(-t))
}

// studentHalf returns half the width of the interval of a mean, over at least two values.
func studentHalf(sorted []float64, level float64) float64 {
	n := float64(len(sorted))
	return tQuantile(level, n-1) * stat.StdErr(stat.StdDev(sorted, nil), n)
}

// Bonferroni returns the level of each of so many intervals that all hold together at the given
// level.
func Bonferroni(level float64, intervals int) float64 {
	return 1 - (1-level)/float64(max(intervals, 1))
}

// finite returns nil for a value that overflowed: JSON has no infinity.
func finite(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}
