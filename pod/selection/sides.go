package selection

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// tieOfSigns bounds the magnitude below which the number that chooses a sign counts as 0: far above the rounding error
// for purposes that are orthogonal to the visits.
const tieOfSigns = 0x1p-30

// ChooseSigns chooses the sign of each direction for which eᵀc is lower. Ties go to +.
//
// With [schema.PublishedSides] every entry of c is 1, so that the entries of e add up to less than 0: the rule of the
// ROD cycle (Machado, Barreto, Precup & Bowling, "Temporal abstraction in reinforcement learning with the successor
// representation", JMLR 24, 2023). The first direction of a successor representation has entries of one sign, larger
// ones where the agent is more often, in all iterations that D has.
//
// With [schema.OneSided] c is the mean of φ over the iteration's visits less the mean over the distinct visited states,
// so that e leads away from where the agent often was in this iteration; only the difference of two means matters,
// since w is defined up to a constant.
func (d *directionSelector) ChooseSigns(seen Seen) error {
	contrast, err := d.contrast(seen)
	if err != nil {
		return err
	}
	directions, tie := NewDirections(d.spec, d.k, d.f), float64(tieOfSigns*linalg.Norm(contrast))
	for j := range d.Directions {
		plus, minus := directions.Signed(j, 1), directions.Signed(j, -1)
		lean := 0.0
		for i, x := range plus {
			lean += float64((x - minus[i]) / 2 * contrast[i])
		}
		d.Directions[j].Sign = schema.Plus
		if lean > tie {
			d.Directions[j].Sign = schema.Minus
		}
	}
	return nil
}

// contrast returns the vector c of [directionSelector.ChooseSigns].
func (d *directionSelector) contrast(seen Seen) (c []float64, err error) {
	if d.spec.Sides == schema.PublishedSides {
		return slices.Repeat([]float64{1}, d.f.Features()), nil
	}
	if seen != nil {
		c = seen.VisitContrast()
	}
	if len(c) < d.f.Features() {
		return nil, fmt.Errorf("%w: visits of %d features choose signs of %d", wire.ErrMalformed, len(c), d.f.Features())
	}
	return c, nil
}
