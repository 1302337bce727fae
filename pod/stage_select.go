package pod

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// SelectExternally returns the selection of an external program or function, for the arguments of
// [SelectDirections].
func SelectExternally(
	ctx context.Context, decide SelectFunc, spec schema.Spec, k int, options OptionSet, f schema.Factors, seen Seen,
) (schema.Selection, error) {
	c, err := newDirectionSelector(spec, f)
	if err != nil {
		return schema.Selection{}, err
	}
	if spec.Sides == schema.OneSided {
		if err := c.chooseSigns(seen); err != nil {
			return schema.Selection{}, err
		}
	}
	for i := range c.directions {
		c.directions[i].Reason = schema.Declined
	}
	in := SelectInput{Spec: spec, K: k, Factors: f, Directions: slices.Clone(c.directions), Options: options}
	directions, err := SelectStage.call(ctx, decide, in,
		func(decided []schema.Direction) error { return checkDirections(decided, c.directions, options) })
	if err != nil {
		return schema.Selection{}, err
	}
	for i := range directions {
		directions[i].Number += 0 // never −0
	}
	return schema.Selection{Directions: directions}, nil
}

// checkDirections returns an error unless decided are the given directions with decisions.
func checkDirections(decided, given []schema.Direction, options OptionSet) error {
	if len(decided) != len(given) {
		return schema.Hint(fmt.Errorf("it decided about %d directions, of %d with σ > 0", len(decided), len(given)),
			"return a decision for each direction, in their order")
	}
	next := options.End() // the number of the next option that the directions so far make
	for i, d := range decided {
		switch {
		case d.Sigma != given[i].Sigma:
			return schema.Hint(fmt.Errorf("direction %d has σ %v, not %v", i+1, d.Sigma, given[i].Sigma),
				"leave σ as it is")
		case math.IsNaN(d.Number) || math.IsInf(d.Number, 0):
			return schema.Hint(fmt.Errorf("the number of direction %d is %v", i+1, d.Number), "give a finite number")
		case d.Reason > schema.Declined:
			return schema.Hint(fmt.Errorf("direction %d has %s", i+1, d.Reason), "use one of the reasons")
		case d.Nearest != schema.NoOption && (int(d.Nearest) < options.First || int(d.Nearest) >= next):
			return schema.Hint(fmt.Errorf("direction %d is like option %d, which there is not", i+1, d.Nearest),
				"name an option of the action set, or one of a direction kept before, or −1 for none")
		case given[i].Sign == schema.BothSigns && d.Sign != schema.BothSigns:
			return schema.Hint(fmt.Errorf("direction %d has sign %d, where both are followed", i+1, d.Sign),
				"leave signs out, or use sides one")
		case given[i].Sign != schema.BothSigns && d.Sign != schema.Plus && d.Sign != schema.Minus:
			return schema.Hint(fmt.Errorf("direction %d has sign %d", i+1, d.Sign), "give 1 or −1")
		}
		switch {
		case d.Reason != schema.Kept:
		case d.Sign == schema.BothSigns:
			next += 2
		default:
			next++
		}
	}
	return nil
}
