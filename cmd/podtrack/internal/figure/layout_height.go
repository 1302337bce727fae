package figure

import (
	"errors"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/schema"
)

// Errors of pictures with an impossible size.
var (
	ErrTall   = errors.New("the picture would be too high")
	ErrLow    = errors.New("the picture would be too low")
	ErrNarrow = errors.New("the picture would be too narrow")
)

// fitHeight stretches the data areas until the picture has the given height. The labels depend on
// the height, so this is repeated.
func (l *layout) fitHeight(height float64) error {
	for range 3 {
		areas, lowest := l.stretchableHeight()
		around := l.height - areas
		if least := around + areas*leastRow/lowest; height < least {
			return schema.Advise(fmt.Errorf("%w: %.2f inches", ErrLow, height/72), AdviceHigher, least/72+0.01)
		}
		l.stretch *= (height - around) / areas
		l.placePanels()
	}
	for i := range l.places { // what rounding left
		l.places[i].bottom += height - l.height
	}
	l.height = height
	return nil
}

// stretchableHeight returns the sum of the heights of the data areas that can be stretched, a row
// being as high as its highest, and the height of the lowest of them.
func (l *layout) stretchableHeight() (sum, lowest float64) {
	lowest = math.Inf(1)
	for first := 0; first < len(l.places); first += l.columns {
		row := 0.0
		for _, p := range l.places[first:min(first+l.columns, len(l.places))] {
			if !p.fixed {
				row = max(row, p.height)
			}
		}
		if row > 0 {
			sum, lowest = sum+row, min(lowest, row)
		}
	}
	return sum, lowest
}
