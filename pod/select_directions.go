package pod

import (
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// SelectStream is the purpose of the random stream that directions are drawn from.
const SelectStream = "select"

// SelectDirections decides by the spec's rule which directions of iteration k's factors
// are kept. options are those of earlier iterations, in option order. Both signs of a
// direction are kept or neither, since no rule depends on the sign.
func SelectDirections(env Env, spec schema.Spec, k int, options []*schema.Option, f schema.Factors) (schema.Selection,
	error) {
	c, err := newDirectionSelector(spec, f)
	if err != nil {
		return schema.Selection{}, err
	}
	c.env, c.k, c.options = env, k, options
	c.entry.lead(c)
	if c.entry.narrow != nil {
		c.entry.narrow(c)
	}
	return schema.Selection{Directions: c.directions}, nil
}

// newSimilarityFor returns the similarity by env's model or, if it has none, by D itself.
func newSimilarityFor(env Env, f schema.Factors) *Similarity {
	if e, ok := As[SimulatedEnv](env); ok {
		return NewModelSimilarity(e)
	}
	return NewDataSimilarity(f.Dims, DatasetFromFactors(f))
}

// CountLeading returns how many directions, from the largest σ on, pass a rule before any
// are drawn or purposes compared.
func CountLeading(spec schema.Spec, f schema.Factors) (int, error) {
	c, err := newDirectionSelector(spec, f)
	if err != nil {
		return 0, err
	}
	c.entry.lead(c)
	n := slices.IndexFunc(c.directions, func(d schema.Direction) bool { return d.Reason != schema.Kept })
	if n < 0 {
		n = len(c.directions)
	}
	return n, nil
}

// A directionSelector decides about the directions of one iteration. An entry's lead visits
// them from the largest σ on and keeps a number of leading ones.
type directionSelector struct {
	rule       schema.Rule
	entry      selectionEntry
	spec       schema.Spec
	f          schema.Factors
	directions []schema.Direction // those with σ > 0

	env     Env
	k       int
	options []*schema.Option // of earlier iterations
}

func newDirectionSelector(spec schema.Spec, f schema.Factors) (*directionSelector, error) {
	rule, err := spec.Select.ParseRule()
	if err != nil {
		return nil, err
	}
	c := &directionSelector{rule: rule, spec: spec, f: f}
	if c.entry, err = selections.LookupOrNewest(string(rule.By), spec.Numerics); err != nil {
		return nil, err
	}
	for j := 0; j < f.Dims && f.Sigma[j] > 0; j++ {
		c.directions = append(c.directions, schema.Direction{Sigma: f.Sigma[j], Nearest: schema.NoOption})
	}
	return c, nil
}

// applyThreshold keeps the directions whose statistic exceeds κ.
func (c *directionSelector) applyThreshold() {
	for i := range c.directions {
		d := &c.directions[i]
		d.Number = c.entry.thresholdStatistic(d.Sigma, c.f.Total)
		rejectIf(d, !(d.Number > c.spec.Kappa), schema.Noise)
	}
}

// keepFirst keeps the first N directions.
func (c *directionSelector) keepFirst() {
	for i := range c.directions {
		d := &c.directions[i]
		d.Number = float64(i + 1)
		rejectIf(d, i >= c.rule.N, schema.Rank)
	}
}

// keepShare keeps the fewest directions that have a share of Σσ².
func (c *directionSelector) keepShare() {
	total, before := 0.0, 0.0
	for i := range c.directions {
		total += c.energy(i)
	}
	for i := range c.directions {
		d := &c.directions[i]
		d.Number = before / total
		rejectIf(d, d.Number >= c.rule.Limit, schema.Share)
		before += c.energy(i)
	}
}

func rejectIf(d *schema.Direction, rejected bool, why schema.Reason) {
	if rejected {
		d.Reason = why
	}
}

// energy returns σ² of a direction, in units of the first one's.
func (c *directionSelector) energy(i int) float64 {
	r := c.directions[i].Sigma / c.directions[0].Sigma
	return float64(r * r)
}

// ThresholdStatistic returns the number that is compared with κ for a direction of a D
// with the given number of rows: σ, σ² or σ/√n, at most the largest float64.
func ThresholdStatistic(by schema.Criterion, sigma float64, rows int64) float64 {
	e, _, _ := selections.Newest(string(by))
	return e.thresholdStatistic(sigma, rows)
}

func (e selectionEntry) thresholdStatistic(sigma float64, rows int64) float64 {
	if e.statistic == nil {
		return sigma
	}
	return e.statistic(sigma, rows)
}

// ThresholdSigma returns the σ of which the statistic is κ.
func ThresholdSigma(by schema.Criterion, kappa float64, rows int64) float64 {
	if e, _, _ := selections.Newest(string(by)); e.limit != nil {
		return e.limit(kappa, rows)
	}
	return kappa
}

func squareOf(sigma float64, _ int64) float64 { return min(float64(sigma*sigma), math.MaxFloat64) }

func limitOfSquare(kappa float64, _ int64) float64 { return math.Sqrt(kappa) }

func meanOf(sigma float64, rows int64) float64 { return sigma / math.Sqrt(float64(rows)) }

func limitOfMean(kappa float64, rows int64) float64 { return float64(kappa * math.Sqrt(float64(rows))) }

// sampleKept keeps N of those kept so far, drawn without replacement.
func (c *directionSelector) sampleKept() {
	stream := NewStream(c.spec.Seed, c.k, SelectStream)
	var lots []int
	for i, d := range c.directions {
		if d.Reason == schema.Kept {
			lots = append(lots, i)
		}
	}
	if c.rule.N >= len(lots) {
		return
	}
	for drawn := range c.rule.N {
		at := drawn + stream.Below(len(lots)-drawn)
		lots[drawn], lots[at] = lots[at], lots[drawn]
	}
	for _, i := range lots[c.rule.N:] {
		c.directions[i].Reason = schema.Draw
	}
}

// rejectKnown rejects directions whose purpose resembles one of the action set, or one
// kept before.
func (c *directionSelector) rejectKnown() {
	s := newSimilarityFor(c.env, c.f)
	images := make([][]float64, len(c.options))
	for i, o := range c.options {
		images[i] = s.Image(o.Purpose.Vector)
	}
	for j := range c.directions {
		d := &c.directions[j]
		if d.Reason != schema.Kept {
			continue
		}
		var own [][]float64
		for _, p := range signedPurposes(c.f, c.spec.Basis, j) {
			own = append(own, s.Image(p.Vector))
		}
		// images holds both signs of each purpose: the largest cosine is the largest magnitude
		at, cosine := nearestImage(own[0], images)
		d.Nearest, d.Number = int32(at), cosine
		if d.Number > c.rule.Limit {
			d.Reason = schema.Known
			continue
		}
		images = append(images, own...)
	}
}

// SelectedPurposes returns the signed eigenpurposes that a selection kept, in option
// order. It returns [schema.ErrMalformed] if the selection is not one of these factors.
func SelectedPurposes(f schema.Factors, basis schema.Basis, s schema.Selection) ([]schema.Purpose, error) {
	var purposes []schema.Purpose
	for j, d := range s.Directions {
		if j >= f.Dims || f.Sigma[j] != d.Sigma {
			return nil, fmt.Errorf("%w: a selection whose direction %d has σ %v, which is not the factors'",
				schema.ErrMalformed, j+1, d.Sigma)
		}
		if d.Reason == schema.Kept {
			purposes = append(purposes, signedPurposes(f, basis, j)...)
		}
	}
	if n := len(s.Directions); n < f.Dims && f.Sigma[n] > 0 {
		return nil, fmt.Errorf("%w: a selection of %d directions, where the factors have more with σ > 0",
			schema.ErrMalformed, n)
	}
	return purposes, nil
}
