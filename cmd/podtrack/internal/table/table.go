package table

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/schema"
)

// Table is a table of text. Columns whose names begin with > are aligned right.
type Table struct {
	Columns []string
	Rows    [][]string
}

// Add appends a row.
func (g *Table) Add(cells ...string) { g.Rows = append(g.Rows, cells) }

// Formats are the formats of tables, the default first.
var Formats = []string{"table", "csv", "markdown", "latex"}

// FormatFlag returns the flag --format.
func FormatFlag() cli.Flag {
	return &cli.StringFlag{Name: "format", Value: Formats[0], Usage: "print as `F`: " + strings.Join(Formats, ", ")}
}

// ParseFormat returns the value of --format, or an error if there is no such format.
// Commands call it before they do any work.
func ParseFormat(c *cli.Context) (string, error) {
	f := c.String("format")
	if !slices.Contains(Formats, f) {
		return "", schema.Hint(fmt.Errorf("unknown format %q", f), "the formats are %s", strings.Join(Formats, ", "))
	}
	return f, nil
}

// clean escapes titles and cells, so that each fits on one line.
func (g *Table) clean() {
	for _, row := range append([][]string{g.Columns}, g.Rows...) {
		for i, cell := range row {
			row[i] = schema.EscapeLine(cell)
		}
	}
}

// Print writes the table in one of [Formats].
func (g *Table) Print(w io.Writer, format string) error {
	g.clean()
	out := g.text
	switch format {
	case "csv":
		out = g.csv
	case "markdown":
		out = g.markdown
	case "latex":
		out = g.latex
	}
	_, err := w.Write(out())
	return err
}

// latex returns a tabular with the rules of the booktabs package.
func (g *Table) latex() []byte {
	var b bytes.Buffer
	titles, right := g.titles()
	align := ""
	for _, r := range right {
		align += map[bool]string{false: "l", true: "r"}[r]
	}
	fmt.Fprintf(&b, "\\begin{tabular}{%s}\n\\toprule\n%s\\midrule\n", align, latexRow(titles))
	for _, row := range g.Rows {
		b.WriteString(latexRow(row))
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	return b.Bytes()
}

// latexEscapes replaces characters that LaTeX treats as more than text.
var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`,
	"_", `\_`, "{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
	"σ", `$\sigma$`, "κ", `$\kappa$`, "γ", `$\gamma$`, None, "--", "−", "$-$", "±", `$\pm$`,
	"<", `$<$`, ">", `$>$`, "|", `\textbar{}`, `"`, "''", "⊥", `$\bot$`)

// latexRow returns a row of a tabular.
func latexRow(cells []string) string {
	escaped := make([]string, len(cells))
	for i, c := range cells {
		escaped[i] = latexEscapes.Replace(c)
	}
	if strings.HasPrefix(escaped[0], "[") || strings.HasPrefix(escaped[0], "*") {
		escaped[0] = "{}" + escaped[0] // else \\ of the row before would take it for an argument
	}
	return strings.Join(escaped, " & ") + ` \\` + "\n"
}

// None stands for a missing value.
const None = "–"

// Number formats an optional number with the given digits after the point, or returns
// [None].
func Number[T int64 | float64](x *T, digits int) string {
	if x == nil {
		return None
	}
	return strconv.FormatFloat(float64(*x), 'f', digits, 64)
}

// Seen returns the lines of the table as text: the titles, a rule, and one line per
// row.
func (g *Table) Seen() []string {
	g.clean()
	return strings.Split(strings.TrimSuffix(string(g.text()), "\n"), "\n")
}
