package document

import (
	"bytes"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
)

// Widths of figures in points: of one alone, and of one beside another.
const (
	aloneWidth  = 6.5 * 72
	besideWidth = 4.2 * 72
)

// StyleOf returns how figures look in a theme where that many are beside each other.
func StyleOf(figures int, theme string) chart.Style {
	if figures > 1 {
		return chart.Style{Width: besideWidth, Theme: theme, Readouts: true}
	}
	return chart.Style{Width: aloneWidth, Theme: theme, Readouts: true}
}

// A Drawn is a figure with its caption.
type Drawn struct {
	figure.Figure
	Caption string
}

// Figures draws figures beside each other, each in every theme, of which a style sheet shows one.
func (p *Page) Figures(figures ...Drawn) error {
	p.flush()
	p.begin()
	p.notes = false
	p.raw("<div class=\"figures\">\n")
	for _, f := range figures {
		p.raw("<figure>\n")
		for _, theme := range chart.Themes {
			var b bytes.Buffer
			if err := figure.Write(&b, f.Figure, "svg", StyleOf(len(figures), theme)); err != nil {
				return err
			}
			svg := bytes.ReplaceAll(b.Bytes(), []byte("\n\t"), []byte(" "))
			// An element in HTML has no XML declaration.
			p.raw("<div class=\"%s\">%s</div>\n", theme, svg[max(0, bytes.Index(svg, []byte("<svg"))):])
		}
		p.raw("<figcaption>%s</figcaption>\n</figure>\n", text(f.Caption))
	}
	p.raw("</div>\n")
	return nil
}
