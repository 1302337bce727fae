package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// Distances, in points.
const (
	margin     = 5.0
	gap        = 4.0
	tickLength = 2.5
	narrowest  = 4.5 * 72 // from which on a picture is not narrow
	turnedMost = 70       // of text that stands upright under an axis
)

// layout is a chart with the places of all its parts, in points from the left and from the bottom.
type layout struct {
	chart
	name    string // the title, drawn or not
	width   float64
	height  float64
	stretch float64  // of the areas of data, 1 where no height is asked for
	head    []string // lines of the title
	legend  [][]placedKey
	foot    []string // lines of notes
	places  []place
	room    float64 // that an area of data has in a row
}

// place is the place of a panel's data area.
type place struct {
	panel
	left, bottom, width, height float64
	xLines, yLines              []string // of the axes' labels
	bareX                       bool     // the panel below has the axis
	turned                      bool     // ticks of x stand upright
	under                       float64  // height of what is under the area
}

// arrange lays out a chart in the given style.
func arrange(c chart, s Style) (*layout, error) {
	if c.narrow > 0 && s.Width < narrowest {
		c.columns = c.narrow
	}
	c.columns = max(min(c.columns, len(c.panels)), 1)
	l := &layout{chart: c, name: c.title, width: s.Width, stretch: 1}
	if s.Title {
		l.head = wrap(printable(c.title), titleSize, l.inner())
	}
	l.legend = l.placeKeys(l.inner())
	for _, note := range c.notes {
		l.foot = append(l.foot, wrap(printable(note), noteSize, l.inner())...)
	}
	l.placePanels()
	if least := l.width + (leastColumn-l.room)*float64(l.columns); l.room < leastColumn {
		return nil, schema.Advise(fmt.Errorf("%w: %.2f inches", ErrNarrow, l.width/72), AdviceWider, least/72+0.01)
	}
	if s.Height > 0 {
		if err := l.fitHeight(s.Height); err != nil {
			return nil, err
		}
	}
	if l.height > MaxHeight {
		return nil, schema.Advise(fmt.Errorf("%w: %.0f inches", ErrTall, l.height/72), AdviceLower)
	}
	return l, nil
}

// inner returns the width between the margins.
func (l *layout) inner() float64 { return l.width - 2*margin }

// placePanels places the panels.
func (l *layout) placePanels() {
	l.sizePanels(l.inner())
	l.stackRows()
}

// sizePanels divides the width among the columns. The space beside a data area depends on its
// ticks, and these on its height, so this is repeated.
func (l *layout) sizePanels(inner float64) {
	beside := make([]float64, l.columns)
	for i := range beside {
		beside[i] = 36
	}
	for range 3 {
		total := inner
		for _, b := range beside {
			total -= b + rightOf
		}
		l.room = total / float64(l.columns)
		width := max(l.room, leastColumn)
		l.places = nil
		for i, p := range l.panels {
			l.places = append(l.places, l.size(i, p, width))
		}
		x := margin
		for column := range beside {
			beside[column] = 0
			for i := column; i < len(l.places); i += l.columns {
				beside[column] = max(beside[column], l.places[i].beside())
			}
			for i := column; i < len(l.places); i += l.columns {
				l.places[i].left = x + beside[column]
			}
			x += beside[column] + width + rightOf
		}
	}
}

// rightOf is the room to the right of a data area, for half a tick's text.
const rightOf = 10

// stackRows places the rows of panels below title and legend, from the top.
func (l *layout) stackRows() {
	down := l.headHeight() + margin
	for first := 0; first < len(l.places); first += l.columns {
		row := l.places[first:min(first+l.columns, len(l.places))]
		var title, height, under float64
		for _, p := range row {
			if p.title != "" {
				title = lineHeight(labelSize)
			}
			height, under = max(height, p.height), max(under, p.under)
		}
		for i := range row {
			row[i].bottom = -(down + title + row[i].height)
		}
		down += title + height + under + 2*gap
	}
	l.height = down - 2*gap + l.footHeight() + margin
	for i := range l.places {
		l.places[i].bottom += l.height
	}
}
