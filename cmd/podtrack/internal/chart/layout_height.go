package chart

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
func (l *Layout) fitHeight(height float64) error {
	for range 3 {
		areas, lowest := l.stretchableHeight()
		around := l.Height - areas
		if least := around + areas*leastRow/lowest; height < least {
			return schema.Advise(fmt.Errorf("%w: %.2f inches", ErrLow, height/72), AdviceHigher, least/72+0.01)
		}
		l.stretch *= (height - around) / areas
		l.placePanels()
	}
	for i := range l.Places { // what rounding left
		l.Places[i].Bottom += height - l.Height
	}
	l.Height = height
	return nil
}

// stretchableHeight returns the sum of the heights of the data areas that can be stretched, a row
// being as high as its highest, and the height of the lowest of them.
func (l *Layout) stretchableHeight() (sum, lowest float64) {
	lowest = math.Inf(1)
	for first := 0; first < len(l.Places); first += l.Columns {
		row := 0.0
		for _, p := range l.Places[first:min(first+l.Columns, len(l.Places))] {
			if !p.Fixed {
				row = max(row, p.Height)
			}
		}
		if row > 0 {
			sum, lowest = sum+row, min(lowest, row)
		}
	}
	return sum, lowest
}
