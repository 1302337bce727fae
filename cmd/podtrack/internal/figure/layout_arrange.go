package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// arrange lays out a chart in the given style.
func arrange(c Chart, s Style) (*layout, error) {
	if c.narrow > 0 && s.Width < narrowest {
		c.columns = c.narrow
	}
	c.columns = max(min(c.columns, len(c.panels)), 1)
	name := c.title
	if s.Readouts && len(c.keys) > maxKeys {
		c.keys = nil // each is named where it is pointed at
	}
	c = c.mapTexts(drawable)
	l := &layout{Chart: c, style: s, name: name, width: s.Width, stretch: 1}
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
	if s.Readouts {
		l.readouts = &[]readout{}
	}
	return l, nil
}
