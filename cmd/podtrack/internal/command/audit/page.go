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
	"github.com/podtrack/podtrack/schema/textfmt"
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
func text(plain string) string { return html.EscapeString(textfmt.EscapeLine(plain)) }

func (h *htmlPage) raw(format string, args ...any) { fmt.Fprintf(&h.out, format, args...) }

// bytes returns the page up to where the evidence begins.
func (h *htmlPage) bytes() []byte {
	h.flush()
	h.end()
	return append(bytes.Clone(h.out.Bytes()), "</main>\n"...)
}

// startSection begins a section, which is left out if nothing follows.
func (h *htmlPage) startSection(title string) {
	h.flush()
	h.heading, h.notes = title, false
}

// begin writes the heading of a section before the first of what it has.
func (h *htmlPage) begin() {
	if h.heading != "" {
		h.end()
		h.raw("<section>\n<h2>%s</h2>\n", text(h.heading))
		h.heading, h.section = "", true
	}
}

// Write implements [io.Writer] for plain text.
func (h *htmlPage) Write(plain []byte) (int, error) {
	lines := strings.Split(h.line+string(plain), "\n")
	h.line = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		h.paragraph(line)
	}
	return len(plain), nil
}

// end ends a section.
func (h *htmlPage) end() {
	if h.section {
		h.raw("</section>\n")
		h.section = false
	}
}

// flush writes a line that was begun.
func (h *htmlPage) flush() {
	if h.line != "" {
		h.paragraph(h.line)
		h.line = ""
	}
}

// paragraph writes a line; an empty one ends the notes to a table.
func (h *htmlPage) paragraph(line string) {
	if line == "" {
		h.notes = false
		return
	}
	h.begin()
	class := ""
	if h.notes {
		class = ` class="note"`
	}
	h.raw("<p%s>%s</p>\n", class, text(line))
}

// command writes a command to type.
func (h *htmlPage) command(command string) {
	h.flush()
	h.begin()
	h.raw("<pre class=\"command\"><code>%s</code></pre>\n", text(command))
}

// details writes text of many lines that can be folded up.
func (h *htmlPage) details(summary, lines string) {
	h.flush()
	h.begin()
	h.raw("<details open>\n<summary>%s</summary>\n<pre>", text(summary))
	for _, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		h.raw("%s\n", text(line))
	}
	h.raw("</pre>\n</details>\n")
}

// PrintTable implements [table.Printer].
func (h *htmlPage) PrintTable(g *table.Table) error {
	h.flush()
	h.begin()
	h.raw("<div class=\"table\"><table>\n")
	if titles := g.Titles(); strings.Join(titles, "") != "" {
		h.raw("<thead><tr>")
		h.cells("th", g, titles)
		h.raw("</tr></thead>\n")
	}
	h.raw("<tbody>\n")
	for _, row := range g.Rows {
		h.raw("<tr>")
		h.cells("td", g, row)
		h.raw("</tr>\n")
	}
	h.raw("</tbody>\n</table></div>\n")
	h.notes = true
	return nil
}

// cells writes the cells of a row. A long one may be broken where the page is narrow.
func (h *htmlPage) cells(tag string, g *table.Table, row []string) {
	for i, cell := range row {
		class := ""
		switch {
		case g.Columns[i].Right:
			class = ` class="right"`
		case len(cell) > longCell:
			class = ` class="long"`
		}
		h.raw("<%s%s>%s</%s>", tag, class, text(cell), tag)
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
func (h *htmlPage) figures(figures ...drawnFigure) error {
	h.flush()
	h.begin()
	h.notes = false
	h.raw("<div class=\"figures\">\n")
	for _, f := range figures {
		h.raw("<figure>\n")
		for _, theme := range chart.Themes {
			if err := h.draw(f.Figure, styleOf(len(figures), theme)); err != nil {
				return err
			}
		}
		h.raw("<figcaption>%s</figcaption>\n</figure>\n", text(f.Caption))
	}
	h.raw("</div>\n")
	return nil
}

// draw draws a figure in one theme.
func (h *htmlPage) draw(f figure.Figure, s chart.Style) error {
	var picture bytes.Buffer
	if err := figure.Write(&picture, f, "svg", s); err != nil {
		return err
	}
	svg := bytes.ReplaceAll(picture.Bytes(), []byte("\n\t"), []byte(" "))
	if at := bytes.Index(svg, []byte("<svg")); at > 0 {
		svg = svg[at:] // an element in HTML has no XML declaration
	}
	h.raw("<div class=\"%s\">", s.Theme)
	h.out.Write(svg)
	h.raw("</div>\n")
	return nil
}
