package selection

import (
	"fmt"

	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
)

// tieOfSigns bounds the magnitude below which the number that chooses a sign counts as 0: far above the rounding error
// for purposes that are orthogonal to the visits.
const tieOfSigns = 0x1p-30

// ChooseSigns chooses the sign of each direction so that its purpose leads away from states that the agent visited
// often. That is the sign for which eᵀc is lower, c being the mean of φ over the visits less the mean over the distinct
// visited states; only the difference of two means matters, since w is defined up to a constant. Ties go to +.
//
// Published code of the ROD cycle takes, of the largest eigenvector of the successor representation, the sign
// with which its entries add up to less than 0 (Machado, Barreto, Precup & Bowling, "Temporal abstraction in
// reinforcement learning with the successor representation", JMLR 24, 2023). All of that vector's entries have
// one sign, and are large where the agent often was, so that this rule chooses the same one; it also chooses
// for other directions, and for features that are no states.
func (d *directionSelector) ChooseSigns(seen Seen) error {
	var contrast []float64
	if seen != nil {
		contrast = seen.VisitContrast()
	}
	if len(contrast) < d.f.Features() {
		return fmt.Errorf("%w: visits of %d features choose signs of %d", wire.ErrMalformed, len(contrast),
			d.f.Features())
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
