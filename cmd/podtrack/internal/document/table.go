package document

import (
	"cmp"
	"html"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
)

// PrintTable implements [table.Printer].
func (p *Page) PrintTable(g *table.Table) error {
	p.flush()
	p.begin()
	p.raw("<div class=\"table\" tabindex=\"0\"><table>\n")
	lists := len(g.Rows) > 1 && p.chooses(g, 0) != ""
	if titles := g.Titles(); strings.Join(titles, "") != "" {
		p.raw("<thead><tr>")
		if lists {
			p.raw("<th><span class=\"hidden\">chosen</span></th>")
		}
		p.cells("th", g, func(i int) string {
			at := ""
			if lists && titles[i] != "" {
				at = p.site.Sort(cmp.Or(g.Columns[i].Header, titles[i]))
			}
			if at == "" {
				return text(titles[i])
			}
			return "<a href=\"" + html.EscapeString(at) + "\">" + text(titles[i]) + "</a>"
		})
		p.raw("</tr></thead>\n")
	}
	p.raw("<tbody>\n")
	for r := range g.Rows {
		p.raw("<tr>")
		if lists {
			p.box(p.chooses(g, r), g.Rows[r][0])
		}
		p.cells("td", g, func(i int) string { return p.linked(g.Opens(r, i), text(g.Rows[r][i])) })
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
	p.raw("<p class=\"fact\"><b>%s</b> <span>%s</span></p>\n", text(label), text(fact))
}

// box writes a cell with a box to choose a run.
func (p *Page) box(run, label string) {
	checked := ""
	if p.isChosen(run) {
		checked = " checked"
	}
	p.raw("<td><input type=\"checkbox\" form=\"chosen\" name=\"of\" value=\"%s\" aria-label=\"choose %s\"%s></td>",
		text(run), text(label), checked)
}

// cells writes the cells of a row. A long one may be broken where the page is narrow.
func (p *Page) cells(tag string, g *table.Table, cell func(i int) string) {
	for i, c := range g.Columns {
		class, shown := "", cell(i)
		switch {
		case c.Right:
			class = ` class="right"`
		case len(shown) > longCell && !strings.HasPrefix(shown, "<a "):
			class = ` class="long"`
		}
		tag := tag
		if shown == "" {
			tag = "td" // a heading has a text
		}
		for _, part := range []string{"<", tag, class, ">", shown, "</", tag, ">"} {
			p.out.WriteString(part)
		}
	}
}

// longCell is the length in bytes above which a cell may be broken anywhere.
const longCell = 40
