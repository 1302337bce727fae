package chart

import (
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
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

// Errors of pictures with an impossible size.
var (
	ErrTall   = errors.New("the picture would be too high")
	ErrNarrow = errors.New("the picture would be too narrow")
)

// leastColumn is the minimum width of a data area, in points.
const leastColumn = 24

// leastRow is the minimum height of a row of panels, in points: the length of a word of its label.
const leastRow = 42

// Layout is a chart with the places of all its parts, in points from the left and from the bottom.
type Layout struct {
	Chart
	style  Style
	name   string // the title, drawn or not
	Width  float64
	Height float64
	head   []string // lines of the title
	legend [][]placedKey
	foot   []string // lines of notes
	Places []place
	room   float64 // that an area of data has in a row

	readouts *[][]any // filled by Draw; nil without readouts
}

// place is the place of a panel's data area.
type place struct {
	Panel
	Left, Bottom, Width, Height float64
	xLines, yLines              []string // of the axes' labels
	bareX                       bool     // the panel below has the axis
	turned                      bool     // ticks of x stand upright
	Under                       float64  // height of what is under the area
}

type placedKey struct {
	Key
	left float64
}

// theme returns the theme of the layout's style, the default one if it has none.
func (l *Layout) theme() *theme {
	return &palette.Palettes[max(slices.Index(Themes, l.style.Theme), 0)]
}

// inner returns the width between the margins.
func (l *Layout) inner() float64 { return l.Width - 2*margin }

// rightOf is the room to the right of a data area, for half a tick's text.
const rightOf = 10

// Arrange lays out a chart in the given style.
func Arrange(c Chart, s Style) (*Layout, error) {
	if c.Narrow > 0 && s.Width < narrowest {
		c.Columns = c.Narrow
	}
	c.Columns = max(min(c.Columns, len(c.Panels)), 1)
	name := c.Title
	if s.Readouts && len(c.Keys) > MaxKeys {
		c.Keys = nil // each is named where it is pointed at
	}
	c = c.mapTexts(drawable)
	l := &Layout{Chart: c, style: s, name: name, Width: s.Width}
	if s.Title {
		l.head = wrap(Printable(c.Title), titleSize, l.inner())
	}
	l.legend = l.placeKeys()
	for _, note := range c.Notes {
		if s.Title || s.Readouts { // without a title, a caption has the notes
			l.foot = append(l.foot, wrap(Printable(note), noteSize, l.inner())...)
		}
	}
	l.sizePanels()
	l.stackRows()
	if least := l.Width + (leastColumn-l.room)*float64(l.Columns); l.room < leastColumn {
		return nil, schema.Hint(fmt.Errorf("%w: %.2f inches", ErrNarrow, l.Width/72),
			"give a --width of %.2fin or more", least/72+0.01)
	}
	if l.Height > maxHeight {
		return nil, schema.Hint(fmt.Errorf("%w: %.0f inches", ErrTall, l.Height/72),
			"plot less at once, or its numbers with --format csv")
	}
	if s.Readouts {
		l.readouts = &[][]any{}
	}
	return l, nil
}

// PictureFormats lists the file formats in which [Layout.write] draws.
var PictureFormats = []string{"png", "svg", "pdf"}

// Write draws the layout in one of [PictureFormats].
func (l *Layout) Write(w io.Writer, format string) error {
	switch format {
	case "png":
		return writePNG(w, l)
	case "svg":
		return writeSVG(w, l)
	default:
		return writePDF(w, l)
	}
}
