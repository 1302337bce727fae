package audit

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema/textform"
)

//go:embed style.css
var style string

// htmlPage renders the text of a document. It is a writer of plain text, whose lines become paragraphs,
// and of tables: what prints an audit prints it into a page. All text is escaped.
type htmlPage struct {
	out     bytes.Buffer
	heading string // of a section that has nothing yet, "" for none
	section bool   // a section is open
	line    string // begun
	notes   bool   // the lines follow a table, and explain it
}

// newPage returns a page with a title.
func newPage(title string) *htmlPage {
	p := &htmlPage{}
	p.out.WriteString(signature)
	p.raw("<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<meta name=\"color-scheme\" content=\"light dark\">\n")
	p.raw("<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", text(title), style)
	p.raw("<h1>%s</h1>\n", text(title))
	return p
}

// text returns text as HTML. Characters that are not shown are escaped as on a terminal.
func text(plain string) string { return html.EscapeString(textform.EscapeLine(plain)) }

func (p *htmlPage) raw(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

// bytes returns the page up to where the evidence begins.
func (p *htmlPage) bytes() []byte {
	p.flush()
	p.end()
	return append(bytes.Clone(p.out.Bytes()), "</main>\n"...)
}

// startSection begins a section, which is left out if nothing follows.
func (p *htmlPage) startSection(title string) {
	p.flush()
	p.heading, p.notes = title, false
}

// begin writes the heading of a section before the first of what it has.
func (p *htmlPage) begin() {
	if p.heading != "" {
		p.end()
		p.raw("<section>\n<h2>%s</h2>\n", text(p.heading))
		p.heading, p.section = "", true
	}
}

// Write implements [io.Writer] for plain text.
func (p *htmlPage) Write(plain []byte) (int, error) {
	lines := strings.Split(p.line+string(plain), "\n")
	p.line = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		p.paragraph(line)
	}
	return len(plain), nil
}

// end ends a section.
func (p *htmlPage) end() {
	if p.section {
		p.raw("</section>\n")
		p.section = false
	}
}

// flush writes a line that was begun.
func (p *htmlPage) flush() {
	if p.line != "" {
		p.paragraph(p.line)
		p.line = ""
	}
}

// paragraph writes a line; an empty one ends the notes to a table.
func (p *htmlPage) paragraph(line string) {
	if line == "" {
		p.notes = false
		return
	}
	p.begin()
	class := ""
	if p.notes {
		class = ` class="note"`
	}
	p.raw("<p%s>%s</p>\n", class, text(line))
}

// command writes a command to type.
func (p *htmlPage) command(command string) {
	p.flush()
	p.begin()
	p.raw("<pre class=\"command\"><code>%s</code></pre>\n", text(command))
}

// details writes text of many lines that can be folded up.
func (p *htmlPage) details(summary, lines string) {
	p.flush()
	p.begin()
	p.raw("<details open>\n<summary>%s</summary>\n<pre>", text(summary))
	for _, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		p.raw("%s\n", text(line))
	}
	p.raw("</pre>\n</details>\n")
}

// PrintTable implements [table.Printer].
func (p *htmlPage) PrintTable(g *table.Table) error {
	p.flush()
	p.begin()
	p.raw("<div class=\"table\"><table>\n")
	if titles := g.Titles(); strings.Join(titles, "") != "" {
		p.raw("<thead><tr>")
		p.cells("th", g, titles)
		p.raw("</tr></thead>\n")
	}
	p.raw("<tbody>\n")
	for _, row := range g.Rows {
		p.raw("<tr>")
		p.cells("td", g, row)
		p.raw("</tr>\n")
	}
	p.raw("</tbody>\n</table></div>\n")
	p.notes = true
	return nil
}

// cells writes the cells of a row. A long one may be broken where the page is narrow.
func (p *htmlPage) cells(tag string, g *table.Table, row []string) {
	for i, cell := range row {
		class := ""
		switch {
		case g.Columns[i].Right:
			class = ` class="right"`
		case len(cell) > longCell:
			class = ` class="long"`
		}
		p.raw("<%s%s>%s</%s>", tag, class, text(cell), tag)
	}
}

// longCell is the length in bytes above which a cell may be broken anywhere.
const longCell = 40

// Widths of figures in points: of one alone, and of one beside another.
const (
	aloneWidth  = 6.5 * 72
	besideWidth = 4.2 * 72
)

// styleOf returns how figures look in a theme where that many are beside each other.
func styleOf(figures int, theme string) chart.Style {
	if figures > 1 {
		return chart.Style{Width: besideWidth, Theme: theme}
	}
	return chart.Style{Width: aloneWidth, Theme: theme}
}

// drawnFigure is a figure with its caption.
type drawnFigure struct {
	figure.Figure
	Caption string
}

// figures draws figures beside each other, each in every theme, of which a style sheet shows one.
func (p *htmlPage) figures(figures ...drawnFigure) error {
	p.flush()
	p.begin()
	p.notes = false
	p.raw("<div class=\"figures\">\n")
	for _, f := range figures {
		p.raw("<figure>\n")
		for _, theme := range chart.Themes {
			if err := p.draw(f.Figure, styleOf(len(figures), theme)); err != nil {
				return err
			}
		}
		p.raw("<figcaption>%s</figcaption>\n</figure>\n", text(f.Caption))
	}
	p.raw("</div>\n")
	return nil
}

// draw draws a figure in one theme.
func (p *htmlPage) draw(f figure.Figure, s chart.Style) error {
	var picture bytes.Buffer
	if err := figure.Write(&picture, f, "svg", s); err != nil {
		return err
	}
	svg := bytes.ReplaceAll(picture.Bytes(), []byte("\n\t"), []byte(" "))
	if at := bytes.Index(svg, []byte("<svg")); at > 0 {
		svg = svg[at:] // an element in HTML has no XML declaration
	}
	p.raw("<div class=\"%s\">", s.Theme)
	p.out.Write(svg)
	p.raw("</div>\n")
	return nil
}
