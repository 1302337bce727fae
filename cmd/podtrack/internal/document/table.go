package document

import (
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
)

// PrintTable implements [table.Printer].
func (p *Page) PrintTable(g *table.Table) error {
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

// PrintFact implements what [table.Text.Fact] prints: a label and a text.
func (p *Page) PrintFact(label, fact string) {
	p.flush()
	p.begin()
	p.raw("<p class=\"fact\"><b>%s</b> %s</p>\n", text(label), text(fact))
}

// cells writes the cells of a row. A long one may be broken where the page is narrow.
func (p *Page) cells(tag string, g *table.Table, row []string) {
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
