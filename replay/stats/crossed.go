package stats

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/stat"
)

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
