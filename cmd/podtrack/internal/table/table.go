// Package table prints tables as text for people, CSV, Markdown or LaTeX.
package table

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
)

// Table is a table of text.
type Table struct {
	Columns []Column
	Rows    [][]string
}

// List is a list of tables.
type List []*Table

// New returns an empty table.
func New(columns ...Column) *Table { return &Table{Columns: columns} }

// Add appends a row.
func (t *Table) Add(cells ...string) { t.Rows = append(t.Rows, cells) }

// latex returns a tabular with the rules of the booktabs package.
func (t *Table) latex() []byte {
	var b bytes.Buffer
	align := ""
	for _, c := range t.Columns {
		if c.Right {
			align += "r"
		} else {
			align += "l"
		}
	}
	fmt.Fprintf(&b, "\\begin{tabular}{%s}\n\\toprule\n%s\\midrule\n", align, latexRow(t.Titles()))
	for _, row := range t.Rows {
		b.WriteString(latexRow(row))
	}
	b.WriteString("\\bottomrule\n\\end{tabular}\n")
	return b.Bytes()
}

// latexEscapes replaces characters that LaTeX treats as more than text.
var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`,
	"_", `\_`, "{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
	"σ", `$\sigma$`, "κ", `$\kappa$`, "γ", `$\gamma$`, None, "--", "−", "$-$", "±", `$\pm$`,
	"<", `$<$`, ">", `$>$`, "|", `\textbar{}`, `"`, "''", "⊥", `$\bot$`, "≥", `$\geq$`, "≤", `$\leq$`)

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

// Number formats an optional number like [textfmt.FormatNumber], a whole one with all of its digits, or returns
// [None].
func Number[T int | int64 | float64](x *T, digits int) string {
	if x == nil {
		return None
	}
	switch n := any(*x).(type) {
	case float64:
		return textfmt.FormatNumber(n, digits)
	default:
		return fmt.Sprint(n)
	}
}

// End formats an optional end of an interval like [textfmt.FormatEnd], or returns [None].
func End(x *float64, digits int) string {
	if x == nil {
		return None
	}
	return textfmt.FormatEnd(*x, digits)
}

// Titles returns the columns' titles, escaped.
func (t *Table) Titles() []string {
	titles := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		titles[i] = c.Title
	}
	return titles
}

// headers returns the columns' names in CSV.
func (t *Table) headers() []string {
	headers := t.Titles()
	for i, c := range t.Columns {
		if c.Header != "" {
			headers[i] = c.Header
		}
	}
	return headers
}
