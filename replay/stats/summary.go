package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"
)

// Summary describes a sample. Statistics that need more than N values are nil.
type Summary struct {
	N      int      `json:"n"`
	Mean   *float64 `json:"mean"`
	SD     *float64 `json:"sd"` // sample standard deviation
	SE     *float64 `json:"se"` // standard error of the mean
	Min    *float64 `json:"min"`
	Q1     *float64 `json:"q1"`
	Median *float64 `json:"median"`
	Q3     *float64 `json:"q3"`
	Max    *float64 `json:"max"`
	IQM    *float64 `json:"iqm"` // interquartile mean

	Low  *float64 `json:"interval_low"` // of the mean, Student's t at [Level]
	High *float64 `json:"interval_high"`

	// For times that some members have not reached, Censored is the number of values that are replaced by the budget, and
	// Budget is the budget. The mean is then the restricted mean, over all members. Budget is nil for other samples.
	Censored int      `json:"censored"`
	Budget   *float64 `json:"budget"`
}

// Summarise describes values, which it does not change.
func Summarise(values []float64) Summary {
	s := Summary{N: len(values)}
	if s.N == 0 {
		return s
	}
	sorted := slices.Sorted(slices.Values(values))
	s.Mean, s.IQM = finite(stat.Mean(sorted, nil)), finite(interquartileMean(sorted))
	at := func(p float64) *float64 { return finite(quantile(p, sorted)) }
	s.Min, s.Q1, s.Median, s.Q3, s.Max = at(0), at(0.25), at(0.5), at(0.75), at(1)
	if s.N > 1 {
		sd := stat.StdDev(sorted, nil)
		se := stat.StdErr(sd, float64(s.N))
		s.SD, s.SE = finite(sd), finite(se)
		half := tQuantile(Level, float64(s.N-1)) * se
		s.Low, s.High = finite(stat.Mean(sorted, nil)-half), finite(stat.Mean(sorted, nil)+half)
	}
	return s
}

// quantile returns the quantile at p, from 0 to 1, of a non-empty ascending sample: type 7 of Hyndman and Fan. gonum's
// LinInterp is type 4, under which the median of {1, 2} is 1.
func quantile(p float64, sorted []float64) float64 {
	at := p * float64(len(sorted)-1)
	below := int(at)
	weight := at - float64(below)
	if weight == 0 {
		return sorted[below]
	}
	return sorted[below] + weight*(sorted[below+1]-sorted[below])
}

// interquartileMean returns the mean of an ascending sample without its lowest and its highest quarter.
func interquartileMean(sorted []float64) float64 {
	cut := len(sorted) / 4
	return stat.Mean(sorted[cut:len(sorted)-cut], nil)
}

// Mean returns the mean of a sample with its interval of Student's t at [Level], nil for an empty sample.
func Mean(values []float64) *Estimate {
	s := Summarise(values)
	if s.Mean == nil {
		return nil
	}
	return &Estimate{Value: *s.Mean, Low: s.Low, High: s.High}
}

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
	return &Estimate{e.Value, new(min(max(*e.Low, low), high)), new(min(max(*e.High, low), high))}
}

// Within returns the summary of values that cannot lie outside low to high, with its interval as [Estimate.Within] has
// it.
func (s Summary) Within(low, high float64) Summary {
	e := (&Estimate{Low: s.Low, High: s.High}).Within(low, high)
	s.Low, s.High = e.Low, e.High
	return s
}

// tQuantile returns half the width of an interval of Student's t, in standard errors.
func tQuantile(level, freedom float64) float64 {
	return distuv.StudentsT{Mu: 0, Sigma: 1, Nu: freedom}.Quantile((1 + level) / 2)
}

// Bonferroni returns the level that each of several intervals needs for all to hold jointly at the given level.
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

// Level is the coverage of every interval in this package.
const Level = 0.95

// Wilson returns the 95 % score interval of a proportion with the given successes, 0 to n, in n
// trials. Without trials it is 0 to 1.
func Wilson(successes, n int) (low, high float64) {
	if n == 0 {
		return 0, 1
	}
	z := distuv.UnitNormal.Quantile((1 + Level) / 2)
	p, trials := float64(successes)/float64(n), float64(n)
	scale := 1 + z*z/trials
	centre := (p + z*z/(2*trials)) / scale
	half := z * math.Sqrt(p*(1-p)/trials+z*z/(4*trials*trials)) / scale
	low, high = centre-half, centre+half
	if successes == 0 {
		low = 0 // rounding may leave a small remainder
	}
	if successes == n {
		high = 1
	}
	return low, high
}

// A Deviation is an estimate with its standard error and degrees of freedom, from which an interval at any level
// follows.
type Deviation struct {
	Value   float64
	Error   float64
	Freedom float64 // 0 if there are too few values for an error
}

// At returns the estimate with its interval of Student's t at a level, nil if the value overflowed.
func (d Deviation) At(level float64) *Estimate {
	e := &Estimate{Value: d.Value}
	switch {
	case finite(d.Value) == nil:
		return nil
	case d.Freedom != 0:
		half := tQuantile(level, d.Freedom) * d.Error
		e.Low, e.High = finite(d.Value-half), finite(d.Value+half)
	}
	return e
}

// PValue returns the two-sided p-value of the true value being 0, nil without a standard error.
func (d Deviation) PValue() *float64 {
	if d.Freedom == 0 || d.Error == 0 || finite(d.Value) == nil || finite(d.Error) == nil {
		return nil
	}
	t := math.Abs(d.Value / d.Error)
	return finite(2 * distuv.StudentsT{Mu: 0, Sigma: 1, Nu: d.Freedom}.CDF(-t))
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

// Crossed is the mean of a matrix whose rows and columns are both drawn, such as values of runs with different seeds
// (rows) each of which was tested with the same test seeds (columns). Rows share their columns, so the means of rows
// are not independent: each contains the effects of the same columns.
//
// With the variances Vr of the mean of the row means and Vc of the mean of the column means, each as if these were
// independent, the standard error is √(Vr + Vc), with the degrees of freedom of Satterthwaite, "An approximate
// distribution of estimates of variance components", Biometrics Bulletin 2(6), 1946. The variation of single cells is
// counted in both, so the interval is a little too wide rather than too narrow, as TestCrossedCovers measures. But of
// two rows or columns that vary more than the others it may hold the mean in 88 % of the cases, and of three in 93 %.
// With one row the interval is Student's t over the columns, with one column Student's t over the rows.
type Crossed struct {
	rows    []float64 // means
	columns []float64 // sums
}

// Add adds a row. All rows have the same length.
func (c *Crossed) Add(row []float64) {
	if c.columns == nil {
		c.columns = make([]float64, len(row))
	}
	sum := 0.0
	for i, x := range row {
		c.columns[i] += x
		sum += x
	}
	c.rows = append(c.rows, sum/float64(len(row)))
}

// Estimate returns the mean with its interval at [Level], nil for an empty matrix.
func (c *Crossed) Estimate() *Estimate {
	if d := c.Deviation(); d != nil {
		return d.At(Level)
	}
	return nil
}

// Deviation returns the mean with its standard error, nil for an empty matrix.
func (c *Crossed) Deviation() *Deviation {
	if len(c.rows) == 0 || len(c.columns) == 0 {
		return nil
	}
	columns := slices.Clone(c.columns)
	for i := range columns {
		columns[i] /= float64(len(c.rows))
	}
	switch {
	case len(c.rows) == 1:
		return meanDeviation(columns)
	case len(columns) == 1:
		return meanDeviation(c.rows)
	}
	ofRows, freeRows := meanVariance(c.rows)
	ofColumns, freeColumns := meanVariance(columns)
	return new(combine(meanOf(c.rows), ofRows, freeRows, ofColumns, freeColumns))
}

// meanDeviation returns the mean of values with its standard error.
func meanDeviation(values []float64) *Deviation {
	d := &Deviation{Value: meanOf(values)}
	if len(values) > 1 {
		variance, freedom := meanVariance(values)
		d.Error, d.Freedom = math.Sqrt(variance), freedom
	}
	return d
}

func meanOf(values []float64) float64 { return stat.Mean(slices.Sorted(slices.Values(values)), nil) }

// meanVariance returns the variance of the mean of at least two values, and its degrees of freedom.
func meanVariance(values []float64) (variance, freedom float64) {
	sorted := slices.Sorted(slices.Values(values))
	n := float64(len(sorted))
	return stat.Variance(sorted, nil) / n, n - 1
}
