package stats_test

import (
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/gonum/stat/distuv"

	"github.com/podtrack/podtrack/replay/stats"
)

// Intervals that were tried and not taken; the coverage table in the help topic shows why. The
// percentile bootstrap is that of Efron 1979; bootstrap-t studentises each resample's mean (Efron,
// "The jackknife, the bootstrap and other resampling plans", SIAM 1982), and has no end where more
// than 2.5 % of the resamples have a single value; the logit of DeLong is the interval that Perme
// and Manevski, "Confidence intervals for the Mann–Whitney test", Statistical Methods in Medical
// Research 28(12), 2019, recommend.

const resamples = 400

func redraw(r *rand.Rand, from, into []float64) {
	for i := range into {
		into[i] = from[r.IntN(len(from))]
	}
}

// percentiles returns the middle 95 % of a statistic over resamples of both samples.
func percentiles(r *rand.Rand, a, b []float64, statistic func(a, b []float64) float64) (low, high float64) {
	drawnA, drawnB, values := make([]float64, len(a)), make([]float64, len(b)), make([]float64, resamples)
	for i := range values {
		redraw(r, a, drawnA)
		redraw(r, b, drawnB)
		values[i] = statistic(drawnA, drawnB)
	}
	slices.Sort(values)
	return stats.Quantile(0.025, values), stats.Quantile(0.975, values)
}

func percentileMean(r *rand.Rand, _, b []float64) (low, high float64) {
	return percentiles(r, nil, b, func(_, b []float64) float64 { return stat.Mean(b, nil) })
}

func percentileDifference(r *rand.Rand, a, b []float64) (low, high float64) {
	return percentiles(r, a, b, func(a, b []float64) float64 { return stat.Mean(b, nil) - stat.Mean(a, nil) })
}

func percentileImprovement(r *rand.Rand, a, b []float64) (low, high float64) {
	return percentiles(r, a, b, countedImprovement)
}

// countedImprovement counts pairs.
func countedImprovement(a, b []float64) float64 {
	won := 0.0
	for _, x := range a {
		for _, y := range b {
			switch {
			case y > x:
				won++
			case y == x:
				won += 0.5
			}
		}
	}
	return won / float64(len(a)*len(b))
}

func bootstrapT(r *rand.Rand, _, b []float64) (low, high float64) {
	n := float64(len(b))
	mean, sd := stat.MeanStdDev(b, nil)
	if sd == 0 {
		return mean, mean
	}
	drawn, ratios := make([]float64, len(b)), make([]float64, resamples)
	for i := range ratios {
		redraw(r, b, drawn)
		m, s := stat.MeanStdDev(drawn, nil)
		ratios[i] = (m - mean) / (s / math.Sqrt(n))
		if m == mean {
			ratios[i] = 0
		}
	}
	slices.Sort(ratios)
	return mean - ratios[resamples*975/1000-1]*sd/math.Sqrt(n), mean - ratios[resamples*25/1000]*sd/math.Sqrt(n)
}

func logitImprovement(_ *rand.Rand, a, b []float64) (low, high float64) {
	p := countedImprovement(a, b)
	if p == 0 || p == 1 {
		return p, p
	}
	var ofA, ofB []float64 // placements
	for _, x := range a {
		ofA = append(ofA, countedImprovement([]float64{x}, b))
	}
	for _, y := range b {
		ofB = append(ofB, countedImprovement(a, []float64{y}))
	}
	va, vb := stat.Variance(ofA, nil)/float64(len(a)), stat.Variance(ofB, nil)/float64(len(b))
	half := distuv.UnitNormal.Quantile(0.975) * math.Sqrt(va+vb) / (p * (1 - p))
	centre := math.Log(p / (1 - p))
	return 1 / (1 + math.Exp(half-centre)), 1 / (1 + math.Exp(-half-centre))
}
