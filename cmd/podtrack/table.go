package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/schema"
)

// grid is a table of text: columns whose name begins with > are aligned right.
type grid struct {
	columns []string
	rows    [][]string
}

func (g *grid) add(cells ...string) { g.rows = append(g.rows, cells) }

var formats = []string{"table", "csv", "markdown", "latex"}

func formatFlag() cli.Flag {
	return &cli.StringFlag{Name: "format", Value: formats[0], Usage: "print as `F`: " + strings.Join(formats, ", ")}
}

// formatOf checks the flag before any work is done.
func formatOf(c *cli.Context) (string, error) {
	f := c.String("format")
	if !slices.Contains(formats, f) {
		return "", schema.Hint(fmt.Errorf("unknown format %q", f), "the formats are %s", strings.Join(formats, ", "))
	}
	return f, nil
}

// print writes the table in one of the formats.
func (g *grid) print(w io.Writer, format string) error {
	var out string
	switch format {
	case "csv":
		out = g.pretty().RenderCSV()
	case "markdown":
		out = g.pretty().RenderMarkdown()
	case "latex":
		out = g.latex()
	default:
		out = g.pretty().Render()
	}
	_, err := fmt.Fprintln(w, out)
	return err
}

func (g *grid) pretty() table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = "  "
	t.SetStyle(style)
	t.SuppressTrailingSpaces()
	var configs []table.ColumnConfig
	header := make(table.Row, len(g.columns))
	for i, name := range g.columns {
		title, right := strings.CutPrefix(name, ">")
		header[i] = title
		align := text.AlignLeft
		if right {
			align = text.AlignRight
		}
		configs = append(configs, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align})
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(header)
	for _, cells := range g.rows {
		row := make(table.Row, len(cells))
		for i, cell := range cells {
			row[i] = cell
		}
		t.AppendRow(row)
	}
	return t
}

// latex is a tabular with the rules of the booktabs package.
func (g *grid) latex() string {
	var b strings.Builder
	align := ""
	titles := make([]string, len(g.columns))
	for i, name := range g.columns {
		title, right := strings.CutPrefix(name, ">")
		titles[i] = title
		if right {
			align += "r"
		} else {
			align += "l"
		}
	}
	fmt.Fprintf(&b, "\\begin{tabular}{%s}\n\\toprule\n%s\\midrule\n", align, latexRow(titles))
	for _, row := range g.rows {
		b.WriteString(latexRow(row))
	}
	b.WriteString("\\bottomrule\n\\end{tabular}")
	return b.String()
}

var latexEscapes = strings.NewReplacer(`\`, `\textbackslash{}`, "&", `\&`, "%", `\%`, "$", `\$`, "#", `\#`,
	"_", `\_`, "{", `\{`, "}", `\}`, "~", `\textasciitilde{}`, "^", `\textasciicircum{}`,
	"σ", `$\sigma$`, "κ", `$\kappa$`, "γ", `$\gamma$`, none, "--", "−", "$-$", "±", `$\pm$`, ">", `$>$`, "⊥", `$\bot$`)

func latexRow(cells []string) string {
	escaped := make([]string, len(cells))
	for i, c := range cells {
		escaped[i] = latexEscapes.Replace(c)
	}
	return strings.Join(escaped, " & ") + ` \\` + "\n"
}

// none stands where there is no value.
const none = "–"

// number formats an optional number with the given digits after the point.
func number[T int64 | float64](x *T, digits int) string {
	if x == nil {
		return none
	}
	return strconv.FormatFloat(float64(*x), 'f', digits, 64)
}

// printJSON writes one document.
func printJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
