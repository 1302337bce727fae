package stats

import (
	"slices"

	"gonum.org/v1/gonum/stat"
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
		s.SD, s.SE = finite(sd), finite(stat.StdErr(sd, float64(s.N)))
		half := studentHalf(sorted, Level)
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

// Mean returns the mean of a sample with its interval of Student's t at [Level], nil for an empty
// sample.
func Mean(values []float64) *Estimate {
	s := Summarise(values)
	if s.Mean == nil {
		return nil
	}
	return &Estimate{Value: *s.Mean, Low: s.Low, High: s.High}
}
