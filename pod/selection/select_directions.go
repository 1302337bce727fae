package selection

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// SelectDirections decides by the spec's rule which directions of iteration k's factors are kept. options holds the
// action set and the options that it leaves out; seen has the iteration's statistics, nil for rules that depend only on
// the factors. Either both signs of a direction are kept or neither; if the spec chooses signs, one of them may be.
func SelectDirections(
	ctx context.Context, env envs.Env, spec schema.Spec, k int, options collect.OptionSet, f schema.Factors, seen Seen,
) (schema.Selection, error) {
	c, err := NewDirectionSelector(spec, f)
	if err != nil {
		return schema.Selection{}, err
	}
	c.env, c.k, c.options, c.seen = env, k, options, seen
	c.lead()
	if spec.ChoosesSigns() {
		if err := c.ChooseSigns(seen); err != nil {
			return schema.Selection{}, err
		}
	}
	if c.entry.narrow != nil {
		if err := c.entry.narrow(c, ctx); err != nil {
			return schema.Selection{}, err
		}
	}
	return schema.Selection{Directions: c.Directions}, nil
}

func NewDirectionSelector(spec schema.Spec, f schema.Factors) (*directionSelector, error) {
	rule, err := spec.Select.ParseRule()
	if err != nil {
		return nil, err
	}
	c := &directionSelector{rule: rule, entry: selections[rule.By], spec: spec, f: f}
	for j := 0; j < f.Directions() && (f.Sigma[j] > 0 || rule.By.KeepsSmall()); j++ {
		c.Directions = append(c.Directions, schema.Direction{Sigma: f.Sigma[j], Nearest: schema.NoOption})
	}
	return c, nil
}

// FindPassing returns, by direction from the largest σ on, whether it passes a rule before any are
// drawn or purposes compared.
func FindPassing(spec schema.Spec, f schema.Factors) ([]bool, error) {
	c, err := NewDirectionSelector(spec, f)
	if err != nil {
		return nil, err
	}
	c.lead()
	passing := make([]bool, f.Directions())
	for j, d := range c.Directions {
		passing[j] = d.Reason == schema.Kept
	}
	return passing, nil
}

// ThresholdStatistic returns the number that is compared with κ for a direction of a D
// with the given number of rows: σ, σ² or σ/√n, at most the largest float64.
func ThresholdStatistic(by schema.Criterion, sigma float64, rows int64) float64 {
	return selections[by].thresholdStatistic(sigma, rows)
}

// ThresholdSigma returns the σ whose statistic is κ.
func ThresholdSigma(by schema.Criterion, kappa float64, rows int64) float64 {
	if limit := selections[by].limit; limit != nil {
		return limit(kappa, rows)
	}
	return kappa
}

// SignedKept returns the signed eigenpurposes that the selection of an iteration kept, in option order, without their
// vectors, as [SignedAbove] does. It returns [wire.ErrMalformed] if the selection is not one of these factors.
func SignedKept(spec schema.Spec, f schema.Factors, s schema.Selection) (purposes []schema.Purpose, err error) {
	rule, err := spec.Select.ParseRule()
	if err != nil {
		return nil, err
	}
	decides := func(sigma float64) bool { return sigma > 0 || rule.By.KeepsSmall() }
	for j, d := range s.Directions {
		if j >= f.Directions() || f.Sigma[j] != d.Sigma || !decides(d.Sigma) {
			return nil, fmt.Errorf("%w: direction %d of a selection has σ %v, unlike the factors",
				wire.ErrMalformed, j+1, d.Sigma)
		}
		if (d.Sign != schema.BothSigns) != spec.ChoosesSigns() {
			return nil, fmt.Errorf("%w: direction %d of a selection has sign %d", wire.ErrMalformed, j+1, d.Sign)
		}
		if d.Reason == schema.Kept {
			purposes = append(purposes, signedPurposes(f, j, d.Sign)...)
		}
	}
	if n := len(s.Directions); n < f.Directions() && decides(f.Sigma[n]) {
		return nil, fmt.Errorf("%w: a selection has %d directions, but the rule decides on more of the factors",
			wire.ErrMalformed, n)
	}
	return purposes, nil
}
