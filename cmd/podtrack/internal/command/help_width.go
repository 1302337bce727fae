package command

import (
	"bytes"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema/textfmt"
)

func init() { cli.HelpPrinter = printHelp } // the library has one for all applications

// printHelp prints a help page, fitted to the writer's width, if it has one.
func printHelp(w io.Writer, template string, data any) {
	var page bytes.Buffer
	cli.HelpPrinterCustom(&page, template, data, nil)
	text := page.String()
	if width := table.WidthOf(w); width > 0 {
		text = fitHelp(text, width)
	}
	_, _ = io.WriteString(w, text) // the application's writers keep their first error
}

// helpMargin begins the lines of a section.
const helpMargin = "   "

// fitHelp wraps the paragraphs of a help page, and the texts beside names. Lines that are indented further, which are
// commands to type, and commands of an example stay as they are.
func fitHelp(page string, width int) string {
	var out []string
	section, paragraph := "", []string(nil)
	end := func() {
		out = append(out, fitParagraph(paragraph, width)...)
		paragraph = nil
	}
	for _, line := range strings.Split(page, "\n") {
		if section == "DESCRIPTION:" && isParagraph(line) {
			paragraph = append(paragraph, line)
			continue
		}
		end()
		if strings.HasSuffix(line, ":") && !strings.HasPrefix(line, " ") {
			section = line
		}
		if section == "EXAMPLE:" || section == "DESCRIPTION:" {
			out = append(out, line)
		} else {
			out = append(out, fitEntry(line, width)...)
		}
	}
	end()
	return strings.Join(out, "\n")
}

func isParagraph(line string) bool {
	text, found := strings.CutPrefix(line, helpMargin)
	return found && text != "" && text[0] != ' '
}

// fitParagraph wraps lines that belong together, unless each of them fits.
func fitParagraph(lines []string, width int) []string {
	text, fits := "", true
	for _, line := range lines {
		fits = fits && utf8.RuneCountInString(line) <= width
		text += " " + strings.TrimSpace(line)
	}
	if fits {
		return lines
	}
	return hang(helpMargin, strings.TrimSpace(text), len(helpMargin), width)
}

// entry is a name, such as that of a flag, and the text beside it.
var entry = textfmt.Pattern(`^( +\S.*?  +|   \S+(?: \S+)* - )(\S.*)$`)

// leastHelp is the least width of a text beside a name; a narrower one goes below it.
const leastHelp = 24

// fitEntry wraps a line, with what follows its first part under that part's end.
func fitEntry(line string, width int) []string {
	m := entry().FindStringSubmatch(line)
	switch {
	case utf8.RuneCountInString(line) <= width:
		return []string{line}
	case m == nil:
		text := strings.TrimLeft(line, " ")
		margin := line[:len(line)-len(text)]
		return hang(margin, text, 2*len(helpMargin), width)
	}
	indent := utf8.RuneCountInString(m[1])
	if width-indent >= leastHelp {
		return hang(m[1], m[2], indent, width)
	}
	indent = 3 * len(helpMargin)
	return append([]string{strings.TrimRight(m[1], " ")}, hang(strings.Repeat(" ", indent), m[2], indent, width)...)
}

// hang returns text behind a beginning, wrapped and indented below it.
func hang(begin, text string, indent, width int) (lines []string) {
	for _, part := range table.Wrap(text, max(width-max(indent, utf8.RuneCountInString(begin)), 1)) {
		lines = append(lines, begin+part)
		begin = strings.Repeat(" ", indent)
	}
	return lines
}
