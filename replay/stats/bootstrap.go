package stats

import (
	"slices"

	"github.com/podtrack/podtrack/pod"
)

// Resamples is the number of resamples of a bootstrap.
const Resamples = 2000

// resampler holds two samples to be resampled. Both statistics follow from how often each distinct
// value occurs, so a sample is a list of indices into the distinct values.
//
// The order of the draws does not depend on which sample is called a, so that the intervals of (b,
// a) mirror those of (a, b).
type resampler struct {
	values []float64 // distinct, rising
	a, b   []int     // places in values
	bFirst bool      // b is drawn before a
	paired bool      // a[i] belongs to b[i]
}

func newResampler(a, b []float64) *resampler {
	values := slices.Sorted(slices.Values(slices.Concat(a, b)))
	t := &resampler{values: slices.Compact(values)}
	t.a, t.b = t.indices(a), t.indices(b)
	return t
}

func (t *resampler) indices(sample []float64) []int {
	places := make([]int, len(sample))
	for i, v := range sample {
		places[i], _ = slices.BinarySearch(t.values, v)
	}
	return places
}

// effect returns both statistics of the samples with their intervals.
func (t *resampler) effect() Effect {
	if len(t.a) == 0 || len(t.b) == 0 {
		return Effect{}
	}
	seen := newValueCounts(len(t.values))
	for _, place := range t.a {
		seen.a[place]++
	}
	for _, place := range t.b {
		seen.b[place]++
	}
	difference, improvement := t.statistics(seen)
	differences, improvements := t.resample()
	return Effect{Difference: estimate(difference, differences), Improvement: estimate(improvement, improvements)}
}

// estimate returns a value with the interval of its resampled values, nil if the value overflowed.
func estimate(value float64, resampled []float64) *Estimate {
	if finite(value) == nil {
		return nil
	}
	e := &Estimate{Value: value}
	if len(resampled) > 0 {
		slices.Sort(resampled)
		e.Low, e.High = finite(Quantile((1-Level)/2, resampled)), finite(Quantile((1+Level)/2, resampled))
	}
	return e
}

// resample returns the statistics of [Resamples] draws with replacement, none if a sample has a
// single value: every draw would be the sample itself.
func (t *resampler) resample() (differences, improvements []float64) {
	if len(t.a) < 2 || len(t.b) < 2 {
		return nil, nil
	}
	stream := pod.NewStream(0, 0, "bootstrap")
	drawn := newValueCounts(len(t.values))
	for range Resamples {
		t.draw(stream, drawn)
		d, p := t.statistics(drawn)
		differences, improvements = append(differences, d), append(improvements, p)
	}
	return differences, improvements
}

// draw fills drawn with samples of the same sizes.
func (t *resampler) draw(stream *pod.Stream, drawn valueCounts) {
	clear(drawn.a)
	clear(drawn.b)
	switch {
	case t.paired:
		for range t.a {
			i := stream.Below(len(t.a))
			drawn.a[t.a[i]]++
			drawn.b[t.b[i]]++
		}
	case t.bFirst:
		drawFrom(stream, t.b, drawn.b)
		drawFrom(stream, t.a, drawn.a)
	default:
		drawFrom(stream, t.a, drawn.a)
		drawFrom(stream, t.b, drawn.b)
	}
}

func drawFrom(stream *pod.Stream, places []int, drawn []int64) {
	for range places {
		drawn[places[stream.Below(len(places))]]++
	}
}

// valueCounts counts how often each distinct value is in a and in b.
type valueCounts struct{ a, b []int64 }

func newValueCounts(distinct int) valueCounts {
	return valueCounts{make([]int64, distinct), make([]int64, distinct)}
}

// statistics returns the difference of the means and the probability of improvement of two samples
// given as counts.
func (t *resampler) statistics(c valueCounts) (difference, improvement float64) {
	var sumA, sumB float64
	var below, won int64 // values of a so far; halves of pairs that b wins
	for i, v := range t.values {
		sumA += float64(c.a[i]) * v
		sumB += float64(c.b[i]) * v
		won += c.b[i] * (2*below + c.a[i])
		below += c.a[i]
	}
	n, m := float64(len(t.a)), float64(len(t.b))
	return sumB/m - sumA/n, float64(won) / (2 * n * m)
}

// Estimate is a number with its interval, which is nil if there are too few values to resample.
type Estimate struct {
	Value float64  `json:"value"`
	Low   *float64 `json:"interval_low"`
	High  *float64 `json:"interval_high"`
}

// Effect describes how sample b differs from sample a. Fields are nil if a sample is empty.
type Effect struct {
	Difference  *Estimate `json:"difference"`  // mean of b − mean of a
	Improvement *Estimate `json:"improvement"` // P(b > a) + ½P(b = a)
}
