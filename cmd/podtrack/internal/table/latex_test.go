package table

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/schema/schematest"
)

// study is a table like that of a study, which is too wide at any size.
func study() *Table {
	g := newTable(Left("setting"), Left("variant"), Right("n").Optional(3), Right("mean"), Left("95 % interval"),
		Right("IQM").Optional(5), Left("IQM 95 % interval").Optional(2), Right("difference from POD"),
		Left("98.75 % interval"), Right("P(more)").Optional(4), Right("p"), Right("rank p").Optional(1))
	for _, setting := range []string{"ring of 128 states", "four rooms"} {
		for _, variant := range []string{"POD", "complement", "primitive actions"} {
			g.add(setting, variant, "10", "72.40", "[35.95, 108.85]", "53.83", "[45.50, 97.84]", "-42.20", "[-11.47, 95.87]",
				"0.87", "< 0.001", "0.029")
			setting = ""
		}
	}
	return g
}

// latexOf returns a table as LaTeX.
func latexOf(t *testing.T, g *Table) string {
	t.Helper()
	var out strings.Builder
	schematest.Must(t, g.Print(&out, "latex"))
	return out.String()
}

// TestLatexLayout: a narrow table is a plain tabular. A wide one is smaller, has the first column as headings, its
// titles on several lines, and a comment with what is hidden.
func TestLatexLayout(t *testing.T) {
	narrow := newTable(Left("a"), Right("b"))
	narrow.add("x", "-1")
	narrow.Caption = "50 %\nof it" // that no line leaves the comment
	const want = "% \\usepackage{booktabs}\n% \\caption{50 \\%\\textbackslash{}nof it}\n" +
		"\\begin{tabular}{lr}\n\\toprule\na & b \\\\\n" +
		"\\midrule\nx & $-$1 \\\\\n\\bottomrule\n\\end{tabular}\n"
	if got := latexOf(t, narrow); got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	const begin = `% \usepackage{booktabs}
% without, to fit the width: rank p, IQM 95 % interval, n, P(more)
\begingroup\footnotesize\setlength{\tabcolsep}{3pt}\noindent
\begin{tabular}{@{}lrlrrlr@{}}
\toprule
variant & mean & 95 \% interval & IQM & difference & 98.75 \% & p \\
 &  &  &  & from & interval &  \\
 &  &  &  & POD &  &  \\
\midrule
\multicolumn{7}{@{}l@{}}{ring of 128 states} \\
POD & 72.40 & [35.95, 108.85] & 53.83 & $-$42.20 & [$-$11.47, 95.87] & $<$ 0.001 \\
`
	if got := latexOf(t, study()); !strings.HasPrefix(got, begin) ||
		!strings.HasSuffix(got, "\\end{tabular}\n\\endgroup\n") || strings.Count(got, `\addlinespace`) != 1 {
		t.Errorf("%s\nwant at the beginning\n%s", got, begin)
	}
	full := newTable()
	for range 40 {
		full.Columns = append(full.Columns, Right("column"))
	}
	if got := latexOf(t, full); !strings.Contains(got, "% wider than the text by about ") {
		t.Errorf("40 columns are not said to be too wide:\n%s", got)
	}
}

// TestLatexFits compiles tables in an article: none is wider than its text.
func TestLatexFits(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "pdflatex")
	tables := []*Table{study()}
	for columns := 1; columns <= 12; columns++ { // of text and numbers, near the limits of each size
		for _, text := range []string{"x", "primitive", "WWWW mmmm", "σ ≥ κ ± γ", "(8 of 10 ≥ 500)"} {
			g := newTable(Left("first"))
			g.add("a longer name of something, in words")
			for i := range columns {
				g.Columns = append(g.Columns, Column{Title: fmt.Sprint("title ", i), Right: i%2 == 0}.Optional(i%3))
				g.Rows[0] = append(g.Rows[0], []string{"-12.50", text}[i%2])
			}
			g.add(make([]string, columns+1)...)
			g.add(append([]string{"b"}, g.Rows[0][1:]...)...)
			tables = append(tables, g)
		}
	}
	nested := newTable(Left("setting"), Left("metric"), Left("source"))
	for i := range 6 {
		nested.Columns = append(nested.Columns, Right(fmt.Sprint("iteration ", i)))
	}
	const values = "29.3 (18.2),168.7 (222.5),240.1 (287.3),269.9 (311.5),287.1 (436.9),298.9 (320.8)"
	for _, row := range []string{"full,purposes,paper,", ",,as-published,", "full,distance,paper,"} {
		nested.add(strings.Split(row+values, ",")...)
	}
	var document strings.Builder
	document.WriteString("\\documentclass{article}\n\\usepackage[utf8]{inputenc}\n\\usepackage{array,booktabs}\n" +
		"\\begin{document}\n")
	for _, g := range append(tables, nested) {
		text := latexOf(t, g)
		if strings.Contains(text, "% wider than") {
			continue // twelve columns of text; it says so
		}
		document.WriteString(text + "\n")
	}
	document.WriteString("\\end{document}\n")
	folder := t.TempDir()
	file := filepath.Join(folder, "tables.tex")
	schematest.Must(t, os.WriteFile(file, []byte(document.String()), 0o666))
	c := exec.Command("pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-output-directory", folder, file)
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	log, err := os.ReadFile(filepath.Join(folder, "tables.log"))
	schematest.Must(t, err)
	for line := range strings.Lines(string(log)) {
		if strings.HasPrefix(line, `Overfull \hbox`) {
			t.Error(strings.TrimSpace(line))
		}
	}
	if n := strings.Count(document.String(), `\begin{tabular}`); n < 40 {
		t.Errorf("%d tables fit", n)
	}
}
