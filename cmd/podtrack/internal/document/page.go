// Package document writes pages of HTML that need no other file, as what prints for a terminal prints them.
package document

import (
	"bytes"
	_ "embed"
	"fmt"
	"html"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// Style is the style sheet of documents.
//
//go:embed style.css
var Style string

// A Page is a document of HTML that needs no other file. It is a writer of plain text, whose lines become paragraphs,
// and of tables and facts: what prints for a terminal prints into a page. All text is escaped.
type Page struct {
	All string // what prints all of which the page has the first, "" for the command itself

	out     bytes.Buffer
	heading string // of a section that has nothing yet, "" for none
	section bool   // a section is open
	line    string // begun
	notes   bool   // the lines follow a table, and explain it
	site    *Site  // nil for a page that needs no other file
}

// New returns a page with a title. signature is what it begins with.
func New(signature, title string) *Page {
	p := &Page{}
	p.out.WriteString(signature)
	p.raw("<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n" +
		"<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n" +
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n" +
		"<meta name=\"color-scheme\" content=\"light dark\">\n")
	p.raw("<title>%s</title>\n<style>\n%s</style>\n</head>\n<body>\n<main>\n", text(title), Style)
	p.raw("<h1>%s</h1>\n", text(title))
	return p
}

// Whole returns the page with its end.
func (p *Page) Whole() []byte {
	below := ""
	if p.site != nil {
		below = p.site.Below
	}
	return append(p.Text(), below+"</body>\n</html>\n"...)
}

// text returns text as HTML. Characters that are not shown are escaped as on a terminal.
func text(plain string) string { return html.EscapeString(textfmt.EscapeLine(plain)) }

func (p *Page) raw(format string, args ...any) { fmt.Fprintf(&p.out, format, args...) }

// Text returns the page without its end.
func (p *Page) Text() []byte {
	p.flush()
	p.end()
	return append(bytes.Clone(p.out.Bytes()), "</main>\n"...)
}

// StartSection begins a section, which is left out if nothing follows.
func (p *Page) StartSection(title string) {
	p.flush()
	p.heading, p.notes = title, false
}

// begin writes the heading of a section before the first of what it has.
func (p *Page) begin() {
	if p.heading != "" {
		p.end()
		p.raw("<section>\n<h2>%s</h2>\n", text(p.heading))
		p.heading, p.section = "", true
	}
}

// Write implements [io.Writer] for plain text.
func (p *Page) Write(plain []byte) (int, error) {
	lines := strings.Split(p.line+string(plain), "\n")
	p.line = lines[len(lines)-1]
	for _, line := range lines[:len(lines)-1] {
		p.paragraph(line)
	}
	return len(plain), nil
}

// end ends a section.
func (p *Page) end() {
	if p.section {
		p.raw("</section>\n")
		p.section = false
	}
}

// flush writes a line that was begun.
func (p *Page) flush() {
	if p.line != "" {
		p.paragraph(p.line)
		p.line = ""
	}
}

// paragraph writes a line; an empty one ends the notes to a table.
func (p *Page) paragraph(line string) {
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

// HTML writes what is HTML.
func (p *Page) HTML(elements string) {
	p.flush()
	p.begin()
	p.out.WriteString(elements)
}

// Command writes a command to type.
func (p *Page) Command(command string) {
	p.flush()
	p.begin()
	p.raw("<pre class=\"command\"><code>%s</code></pre>\n", text(command))
}

// Fold writes what fill does where it can be unfolded.
func (p *Page) Fold(summary string, fill func()) {
	p.flush()
	p.begin()
	p.raw("<details>\n<summary>%s</summary>\n", text(summary))
	fill()
	p.flush()
	p.raw("</details>\n")
}

// Details writes text of many lines that can be folded up.
func (p *Page) Details(summary, lines string) {
	p.flush()
	p.begin()
	p.raw("<details open>\n<summary>%s</summary>\n<pre tabindex=\"0\">", text(summary))
	for _, line := range strings.Split(strings.TrimSuffix(lines, "\n"), "\n") {
		p.raw("%s\n", text(line))
	}
	p.raw("</pre>\n</details>\n")
}
