package document

import (
	"bytes"
	"slices"

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
		return chart.Style{Width: besideWidth, Theme: theme}
	}
	return chart.Style{Width: aloneWidth, Theme: theme}
}

// A Drawn is a figure with its caption.
type Drawn struct {
	figure.Figure
	Caption string
}

// Figures draws figures beside each other, each in every theme, of which a style sheet shows one.
func (p *Page) Figures(figures ...Drawn) error {
	return p.Pictures(len(figures), func(i int, theme string) (picture []byte, caption string, err error) {
		var b bytes.Buffer
		err = figure.Write(&b, figures[i].Figure, "svg", StyleOf(len(figures), theme))
		return b.Bytes(), figures[i].Caption, err
	})
}

// Pictures writes n pictures like [Page.Figures]. draw returns one as SVG in a theme, with its caption.
func (p *Page) Pictures(n int, draw func(i int, theme string) (picture []byte, caption string, err error)) error {
	p.flush()
	p.begin()
	p.notes = false
	p.raw("<div class=\"figures\">\n")
	for i := range n {
		p.raw("<figure>\n")
		below := ""
		for _, theme := range chart.Themes {
			svg, caption, err := draw(i, theme)
			if err != nil {
				return err
			}
			svg = bytes.ReplaceAll(svg, []byte("\n\t"), []byte(" "))
			if at := bytes.Index(svg, []byte("<svg")); at > 0 {
				svg = svg[at:] // an element in HTML has no XML declaration
			}
			if before, face, found := bytes.Cut(svg, []byte("<style>@font-face")); found { // a page loads no font
				_, after, _ := bytes.Cut(face, []byte("</style>"))
				svg = slices.Concat(before, after)
			}
			p.raw("<div class=\"%s\">%s</div>\n", theme, svg)
			below = caption
		}
		p.raw("<figcaption>%s</figcaption>\n</figure>\n", text(below))
	}
	p.raw("</div>\n")
	return nil
}
