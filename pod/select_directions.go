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
	rule, err := spec.Select.ParseRule()
	if err != nil {
		return schema.Selection{}, err
	}
	c := directionSelector{rule: rule, spec: spec, f: f}
	for j := 0; j < f.Dims && f.Sigma[j] > 0; j++ {
		c.directions = append(c.directions, schema.Direction{Sigma: f.Sigma[j], Nearest: schema.NoOption})
	}
	c.applyThreshold()
	switch rule.By {
	case schema.BySample:
		c.sampleKept(NewStream(spec.Seed, k, SelectStream))
	case schema.ByNovelty:
		c.rejectKnown(newSimilarityFor(env, f), options)
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
	spec.Select = leadingRule(spec.Select)
	s, err := SelectDirections(nil, spec, 0, nil, f)
	n := slices.IndexFunc(s.Directions, func(d schema.Direction) bool { return d.Reason != schema.Kept })
	if n < 0 {
		n = len(s.Directions)
	}
	return n, err
}

func leadingRule(s schema.Select) schema.Select {
	if r, err := s.ParseRule(); err == nil && (r.By == schema.BySample || r.By == schema.ByNovelty) {
		return schema.Threshold
	}
	return s
}

// A directionSelector decides about the directions of one iteration.
type directionSelector struct {
	rule       schema.Rule
	spec       schema.Spec
	f          schema.Factors
	directions []schema.Direction // those with σ > 0
}

// applyThreshold visits the directions from the largest σ on: each rule first keeps a
// number of leading ones.
func (c *directionSelector) applyThreshold() {
	total, before := 0.0, 0.0
	for i := range c.directions {
		total += c.energy(i)
	}
	for i := range c.directions {
		d := &c.directions[i]
		switch c.rule.By {
		case schema.ByRank:
			d.Number = float64(i + 1)
			rejectIf(d, i >= c.rule.N, schema.Rank)
		case schema.ByEnergy:
			d.Number = before / total
			rejectIf(d, d.Number >= c.rule.Limit, schema.Share)
			before += c.energy(i)
		default:
			d.Number = ThresholdStatistic(c.rule.By, d.Sigma, c.f.Total)
			rejectIf(d, !(d.Number > c.spec.Kappa), schema.Noise)
		}
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
	switch by {
	case schema.BySquare:
		return min(float64(sigma*sigma), math.MaxFloat64)
	case schema.ByRMS:
		return sigma / math.Sqrt(float64(rows))
	}
	return sigma
}

// sampleKept keeps N of those kept so far, drawn without replacement.
func (c *directionSelector) sampleKept(stream *Stream) {
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
func (c *directionSelector) rejectKnown(s *Similarity, options []*schema.Option) {
	images := make([][]float64, len(options))
	for i, o := range options {
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
