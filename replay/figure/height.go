package figure

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// Pictures that no page could hold, or that could hold nothing.
var (
	ErrTall = errors.New("the picture would be too high")
	ErrLow  = errors.New("the picture would be too low")
)

// leastRow is how low a row of panels can be made, in points.
const leastRow = 12

// reach stretches the areas of data until the picture has that height. How they
// are labelled depends on their height, so that it is done more than once.
func (l *layout) reach(height float64) error {
	for range 3 {
		areas, lowest := l.rowHeights()
		around := l.height - areas
		if least := around + areas*leastRow/lowest; height < least {
			return schema.Hint(fmt.Errorf("%w: %.2f inches", ErrLow, height/72), "give a --height of %.2fin or more, or --no-title; a wider picture needs fewer lines of text", least/72+0.01)
		}
		l.stretch *= (height - around) / areas
		l.settle()
	}
	for i := range l.places { // what rounding left
		l.places[i].bottom += height - l.height
	}
	l.height = height
	return nil
}

// rowHeights is of the areas of data, a row as high as its highest.
func (l *layout) rowHeights() (sum, lowest float64) {
	for first := 0; first < len(l.places); first += l.columns {
		row := 0.0
		for _, p := range l.places[first:min(first+l.columns, len(l.places))] {
			row = max(row, p.height)
		}
		sum += row
		if first == 0 || row < lowest {
			lowest = row
		}
	}
	return sum, lowest
}
