package stats

import (
	"context"
	"slices"

	"github.com/podtrack/podtrack/pod/rng"
)

// How often a sample is drawn again: fewer times if it is large, so that it takes no more than a second.
const (
	fewestResamples = 999
	mostResamples   = 9999
	resampledValues = 10_000_000
)

// EachResample calls f with the indices of each resample of values in strata of the given sizes, each drawn from its
// own stratum with replacement. They depend on the sizes alone, and are valid until the next.
func EachResample(ctx context.Context, sizes []int, f func(indices []int)) error {
	stream := rng.NewStream(PermutationSeed, 0, "bootstrap")
	n := 0
	for _, size := range sizes {
		n += size
	}
	indices := make([]int, n)
	for range min(max(resampledValues/max(n, 1), fewestResamples), mostResamples) {
		if err := ctx.Err(); err != nil {
			return err
		}
		from := 0
		for _, size := range sizes {
			for i := range size {
				indices[from+i] = from + stream.Below(size)
			}
			from += size
		}
		f(indices)
	}
	return nil
}

// IQM returns the interquartile mean of all values of some strata, with its interval at [Level]: the percentile
// bootstrap, stratified (Agarwal et al. 2021). It is nil without values; the interval needs two in each stratum.
func IQM(ctx context.Context, strata ...[]float64) (*Estimate, error) {
	values := slices.Concat(strata...)
	if len(values) == 0 {
		return nil, nil
	}
	sorted := slices.Sorted(slices.Values(values))
	e := Deviation{Value: interquartileMean(sorted)}.At(Level)
	if e == nil || slices.ContainsFunc(strata, func(stratum []float64) bool { return len(stratum) < 2 }) {
		return e, nil
	}
	var sizes, places []int // places of the values of each stratum, in ascending order, among all
	for _, stratum := range strata {
		sizes = append(sizes, len(stratum))
		for _, v := range slices.Sorted(slices.Values(stratum)) {
			at, _ := slices.BinarySearch(sorted, v)
			places = append(places, at)
		}
	}
	var means []float64
	times := make([]int, len(sorted))
	err := EachResample(ctx, sizes, func(indices []int) {
		clear(times)
		for _, i := range indices {
			times[places[i]]++
		}
		means = append(means, interquartileMeanOf(sorted, times))
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(means)
	e.Low, e.High = finite(quantile((1-Level)/2, means)), finite(quantile((1+Level)/2, means))
	return e, nil
}

// interquartileMeanOf returns the interquartile mean of a sample that has each of some ascending values so many times,
// as many values as there are.
func interquartileMeanOf(sorted []float64, times []int) float64 {
	cut := len(sorted) / 4
	seen, sum := 0, 0.0
	for i, v := range sorted {
		kept := min(seen+times[i], len(sorted)-cut) - max(seen, cut)
		if seen += times[i]; kept > 0 {
			sum += float64(v * float64(kept))
		}
	}
	return sum / float64(len(sorted)-2*cut)
}

// A ProfilePoint is the share of a sample above a value, with its interval at [Level] by Wilson's score method.
type ProfilePoint struct {
	Above float64 `json:"above"`
	Share float64 `json:"share"`
	Low   float64 `json:"interval_low"`
	High  float64 `json:"interval_high"`
}

// Profile returns the performance profile of a sample at each of its values, in ascending order: the share of values
// above it, which stays the same up to the next. Below the first value the share is 1.
func Profile(values []float64) []ProfilePoint {
	sorted := slices.Sorted(slices.Values(values))
	profile := []ProfilePoint{}
	for i, v := range sorted {
		if i+1 < len(sorted) && sorted[i+1] == v {
			continue
		}
		p := ProfilePoint{Above: v, Share: float64(len(sorted)-i-1) / float64(len(sorted))}
		p.Low, p.High = Wilson(len(sorted)-i-1, len(sorted))
		profile = append(profile, p)
	}
	return profile
}
