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
	name := Printable(c.Title)
	c = c.mapTexts(drawable)
	c.Caption = Printable(c.Caption)
	l := &Layout{Chart: c, style: s, name: name, Width: s.Width}
	if s.Title { // without a title, a caption has the notes, too
		l.head = wrap(c.Title, titleSize, l.inner())
		for _, note := range c.Notes {
			l.foot = append(l.foot, wrap(note, noteSize, l.inner())...)
		}
	}
	l.legend = l.placeKeys()
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

// placeKeys fills the lines of the legend from the left. A text that is longer than a line goes on below.
func (l *Layout) placeKeys() (lines [][]placedKey) {
	var line []placedKey
	x, inner := 0.0, l.inner()
	for _, k := range l.Keys {
		texts := wrap(k.Text, tickSize, inner-keyWidth)
		if len(texts) == 0 {
			texts = []string{""}
		}
		k.Text = texts[0]
		w := keyWidth + widthOf(k.Text, tickSize)
		if len(line) > 0 && (x+w > inner || len(texts) > 1) {
			lines, line, x = append(lines, line), nil, 0
		}
		line = append(line, placedKey{Key: k, left: margin + x})
		x += w + 3*gap
		for _, text := range texts[1:] {
			lines, line, x = append(lines, line), []placedKey{{Key: Key{Text: text, Bare: true}, left: margin}}, inner
		}
	}
	if len(line) > 0 {
		lines = append(lines, line)
	}
	return lines
}

// keyWidth is the width of the sample before a key's text.
const keyWidth = 18

// headHeight returns the height of title, legend and scale.
func (l *Layout) headHeight() float64 {
	h := float64(len(l.head))*lineHeight(titleSize) + float64(len(l.legend))*lineHeight(tickSize)
	if l.Scale != nil {
		h += lineHeight(tickSize)
	}
	if h > 0 {
		h += 1.5 * gap
	}
	return h
}

func (l *Layout) footHeight() float64 {
	if len(l.foot) == 0 {
		return 0
	}
	return gap/2 + float64(len(l.foot))*lineHeight(noteSize)
}

// sizePanels divides the width among the columns. The space beside a data area depends on its
// ticks, and these on its size, so this is repeated until it stays the same. Where it would go back and forth, it
// grows alone.
func (l *Layout) sizePanels() {
	beside, right := make([]float64, l.Columns), make([]float64, l.Columns)
	for i := range beside {
		beside[i] = 36
	}
	for i, p := range l.Panels {
		right[i%l.Columns] = max(right[i%l.Columns], rightOf+p.wordsWidth())
	}
	for pass := range 9 {
		total, before := l.inner(), slices.Clone(beside)
		for i := range beside {
			total -= beside[i] + right[i]
		}
		l.room = total / float64(l.Columns)
		width := max(l.room, leastColumn)
		l.Places = nil
		for i, p := range l.Panels {
			l.Places = append(l.Places, l.size(i, p, width))
		}
		x := margin
		for column := range beside {
			if pass < 3 {
				beside[column] = 0
			}
			for i := column; i < len(l.Places); i += l.Columns {
				beside[column] = max(beside[column], l.Places[i].beside())
			}
			for i := column; i < len(l.Places); i += l.Columns {
				l.Places[i].Left = x + beside[column]
			}
			x += beside[column] + width + right[column]
		}
		if slices.Equal(beside, before) {
			return
		}
	}
}

// stackRows places the rows of panels below title and legend, from the top.
func (l *Layout) stackRows() {
	down := l.headHeight() + margin
	for first := 0; first < len(l.Places); first += l.Columns {
		row := l.Places[first:min(first+l.Columns, len(l.Places))]
		var title, height, under float64
		for _, p := range row {
			if p.Title != "" {
				title = lineHeight(labelSize)
			}
			height, under = max(height, p.Height), max(under, p.Under)
		}
		for i := range row {
			row[i].Bottom = -(down + title + row[i].Height)
		}
		down += title + height + under + 2*gap
	}
	l.Height = down - 2*gap + l.footHeight() + margin
	for i := range l.Places {
		l.Places[i].Bottom += l.Height
	}
}

// Axis is one of a panel's two axes.
type Axis struct {
	Label     string
	Low, High float64
	Log       bool
	Whole     bool   // Whole numbers only
	Ticks     []Tick // nil for ticks at round numbers
	Plain     bool   // no grid lines
	Margin    bool   // keep the data away from the ends
	Names     bool   // the texts of ticks are names, which may take two lines
}

// Tick is a position on an axis with its text.
type Tick struct {
	At   float64
	Text string
}

// EmptyAxis returns an axis without a range.
func EmptyAxis(label string) Axis { return Axis{Label: label, Low: MaxFinite, High: -MaxFinite} }

const MaxFinite = 1e300

// Include widens the axis to contain the values.
func (a *Axis) Include(values ...float64) {
	for _, v := range values {
		v = min(max(v, -MaxFinite), MaxFinite)
		a.Low, a.High = min(a.Low, v), max(a.High, v)
	}
}

// isDrawn reports whether the divided axis has a label or ticks.
func (a Axis) isDrawn() bool { return a.Label != "" || len(a.Ticks) > 0 }

// Bare returns the axis without label and ticks.
func (a Axis) Bare() Axis {
	a.Label, a.Ticks = "", []Tick{}
	return a
}
