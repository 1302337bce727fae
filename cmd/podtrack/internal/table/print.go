package table

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/urfave/cli/v2"
)

// Formats are the formats of tables, the default first.
var Formats = []string{"table", "csv", "markdown", "latex", HTML}

// HTML is the format of a document that needs no other file, with text around the tables.
const HTML = "html"

// FormatFlag returns the flag --format of the given formats, by default of all.
func FormatFlag(formats ...string) cli.Flag {
	if formats == nil {
		formats = Formats
	}
	return &cli.StringFlag{Name: "format", Value: Formats[0], Usage: "print as `F`: " + strings.Join(formats, ", "),
		Action: func(c *cli.Context, f string) error {
			if c.Bool("json") {
				return schema.Hint(errors.New("--format together with --json"), "give one of them")
			}
			return checkFormat(f, formats)
		}}
}

func checkFormat(f string, formats []string) error {
	if slices.Contains(formats, f) {
		return nil
	}
	return schema.Hint(fmt.Errorf("unknown format %q", f), "the formats are %s", strings.Join(formats, ", "))
}

// ParseFormat returns the value of --format, the default if the command has no such flag, or an error if there is no
// such format.
func ParseFormat(c *cli.Context) (string, error) {
	f := c.String("format")
	if f == "" && !c.IsSet("format") {
		return Formats[0], nil
	}
	return f, checkFormat(f, Formats)
}

// WantsCSV reports whether --format asks for CSV.
func WantsCSV(c *cli.Context) bool {
	format, _ := ParseFormat(c) // an error ends the command before it answers
	return format == "csv"
}

// clean escapes the caption, titles and cells, so that each fits on one line; for people it leaves out what columns do
// not show, for CSV it completes references.
func (t *Table) clean(people bool) {
	t.Caption = textfmt.EscapeLine(t.Caption)
	for i := range t.Columns {
		t.Columns[i].Title = textfmt.EscapeLine(t.Columns[i].Title)
	}
	for _, row := range t.Rows {
		for i, cell := range row {
			change := t.Columns[i].Whole
			if people {
				change = t.Columns[i].Shown
			}
			if change != nil {
				cell = change(cell)
			}
			row[i] = textfmt.EscapeLine(cell)
		}
	}
}

// printer is a writer that shows tables, and facts about something, in a form of its own.
type printer interface {
	PrintTable(*Table) error
	PrintFact(label, text string)
}

// Print writes the table in one of [Formats]. Text is fitted to the writer's width, if
// it has one: see [Table.Lines]. For a printer it is not text.
func (t *Table) Print(w io.Writer, format string) error {
	t.clean(format != "csv")
	if p, ok := w.(printer); ok && (format == Formats[0] || format == HTML) {
		return p.PrintTable(t)
	}
	var out []byte
	switch format {
	case "csv":
		out = t.csv()
	case "markdown":
		out = t.markdown()
	case "latex":
		out = t.latex()
	default:
		out = t.text(WidthOf(w))
	}
	_, err := w.Write(out)
	return err
}

// WidthOf returns how many columns of text a writer shows, 0 if it has no width.
func WidthOf(w io.Writer) int {
	if screen, ok := w.(interface{ Width() int }); ok {
		return screen.Width()
	}
	return 0
}

// Lines returns the lines of the table as text: the titles, a rule, and the rows. A
// table that is wider than the given number of columns is fitted to it, unless that is
// 0: titles and texts are wrapped, then columns are hidden by their ranks, and a last
// line tells which.
func (t *Table) Lines(width int) []string {
	t.clean(true)
	return strings.Split(strings.TrimSuffix(string(t.text(width)), "\n"), "\n")
}
