package table

import (
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
	"pgregory.net/rapid"
)

// TestTableText compares tables of any text with go-pretty's layout of them.
func TestTableText(t *testing.T) {
	cell := rapid.StringOf(rapid.RuneFrom([]rune("ab |,\"世é⊥–−\u0301")))
	rapid.Check(t, func(t *rapid.T) {
		g := newTable(Left("run"))
		for range rapid.IntRange(0, 3).Draw(t, "columns") {
			title := rapid.SampledFrom([]string{"name", "σ", "", "a title"}).Draw(t, "title")
			g.Columns = append(g.Columns, Column{Title: title, Right: rapid.Bool().Draw(t, "right")})
		}
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			var row []string
			for range g.Columns {
				row = append(row, cell.Draw(t, "cell"))
			}
			g.Rows = append(g.Rows, row)
		}
		trimmed := oracle(g)
		trimmed.SuppressTrailingSpaces()
		for format, want := range map[string]string{"table": trimmed.Render(), "csv": oracle(g).RenderCSV(),
			"markdown": oracle(g).RenderMarkdown()} {
			var b strings.Builder
			if err := g.Print(&b, format); err != nil {
				t.Fatal(err)
			}
			if b.String() != want+"\n" {
				t.Fatalf("%s:\n%q, want\n%q", format, b.String(), want+"\n")
			}
		}
	})
}

// oracle returns the same table for go-pretty.
func oracle(g *Table) table.Writer {
	t := table.NewWriter()
	style := table.StyleLight
	style.Options = table.Options{SeparateHeader: true}
	style.Format.Header = text.FormatDefault
	style.Box.PaddingLeft = ""
	style.Box.PaddingRight = "  "
	t.SetStyle(style)
	var configs []table.ColumnConfig
	for i, c := range g.Columns {
		align := text.AlignLeft
		if c.Right {
			align = text.AlignRight
		}
		configs = append(configs, table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align})
	}
	t.SetColumnConfigs(configs)
	t.AppendHeader(asRow(g.Titles()))
	for _, row := range g.Rows {
		t.AppendRow(asRow(row))
	}
	return t
}

func asRow(cells []string) (row table.Row) {
	for _, c := range cells {
		row = append(row, c)
	}
	return row
}

// TestHostileCells checks that a cell is nothing but text, whatever it holds.
func TestHostileCells(t *testing.T) {
	for cell, want := range map[string]map[string]string{
		"two\nlines\t\x1b[2J\u202e": {
			"table": `two\nlines\t\u001b[2J\u202e`, "csv": `two\nlines\t\u001b[2J\u202e`,
			"markdown": `two\\nlines\\t\\u001b\[2J\\u202e`,
			"latex":    `two\textbackslash{}nlines\textbackslash{}t\textbackslash{}u001b[2J\textbackslash{}u202e`,
		},
		`=cmd|"/c"!A1`: {
			"table": `=cmd|"/c"!A1`, "csv": `"'=cmd|""/c""!A1"`, "markdown": `=cmd\|"/c"!A1`, "latex": `=cmd\textbar{}''/c''!A1`,
		},
		`[1cm]<b>*_\|$x$&`: {
			"table": `[1cm]<b>*_\|$x$&`, "csv": `[1cm]<b>*_\|$x$&`, "markdown": `\[1cm\]&lt;b&gt;\*\_\\\|\$x\$&amp;`,
			"latex": `{}[1cm]$<$b$>$*\_\textbackslash{}\textbar{}\$x\$\&`,
		},
		"-1.5": {"table": "-1.5", "csv": "-1.5", "markdown": "-1.5", "latex": "$-$1.5"},
		"-2+1": {"table": "-2+1", "csv": "'-2+1", "markdown": "-2+1", "latex": "-2+1"},
	} {
		for format, want := range want {
			var b strings.Builder
			g := &Table{Columns: []Column{Left("a"), Left("b")}, Rows: [][]string{{cell, "end"}}}
			if err := g.Print(&b, format); err != nil {
				t.Fatal(err)
			}
			row := strings.TrimSuffix(b.String(), "\n\\bottomrule\n\\end{tabular}\n")
			row = strings.TrimSuffix(row, "\n")
			row = row[strings.LastIndex(row, "\n")+1:]
			ends := map[string][2]string{"table": {"", "  end"}, "csv": {"", ",end"}, "markdown": {"| ", " | end |"},
				"latex": {"", ` & end \\`}}[format]
			if row != ends[0]+want+ends[1] {
				t.Errorf("%q as %s: %q, want %q", cell, format, row, ends[0]+want+ends[1])
			}
		}
	}
}
