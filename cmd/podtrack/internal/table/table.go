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

// Table is a table of text: columns whose name begins with > are aligned right.
type Table struct {
	Columns []string
	Rows    [][]string
}

func (g *Table) Add(cells ...string) { g.Rows = append(g.Rows, cells) }

var Formats = []string{"table", "csv", "markdown", "latex"}

func FormatFlag() cli.Flag {
	return &cli.StringFlag{Name: "format", Value: Formats[0], Usage: "print as `F`: " + strings.Join(Formats, ", ")}
}

// ParseFormat checks the flag before any work is done.
func ParseFormat(c *cli.Context) (string, error) {
	f := c.String("format")
	if !slices.Contains(Formats, f) {
		return "", schema.Hint(fmt.Errorf("unknown format %q", f), "the formats are %s", strings.Join(Formats, ", "))
	}
	return f, nil
}

// clean puts each title and each cell on one line.
func (g *Table) clean() {
	for _, row := range append([][]string{g.Columns}, g.Rows...) {
		for i, cell := range row {
			row[i] = schema.EscapeLine(cell)
		}
	}
}

// Print writes the table in one of the formats.
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

// latex is a tabular with the rules of the booktabs package.
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

var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`,
	"_", `\_`, "{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
	"σ", `$\sigma$`, "κ", `$\kappa$`, "γ", `$\gamma$`, None, "--", "−", "$-$", "±", `$\pm$`, "<", `$<$`, ">", `$>$`, "|", `\textbar{}`, `"`, "''", "⊥", `$\bot$`)

func latexRow(cells []string) string {
	escaped := make([]string, len(cells))
	for i, c := range cells {
		escaped[i] = latexEscapes.Replace(c)
	}
	if strings.HasPrefix(escaped[0], "[") || strings.HasPrefix(escaped[0], "*") {
		escaped[0] = "{}" + escaped[0] // or the end of the row before would take it
	}
	return strings.Join(escaped, " & ") + ` \\` + "\n"
}

// None stands where there is no value.
const None = "–"

// Number formats an optional number with the given digits after the point.
func Number[T int64 | float64](x *T, digits int) string {
	if x == nil {
		return None
	}
	return strconv.FormatFloat(float64(*x), 'f', digits, 64)
}

// Seen returns the lines of a table, one a row.
func (g *Table) Seen() []string {
	g.clean()
	return strings.Split(strings.TrimSuffix(string(g.text()), "\n"), "\n")
}
