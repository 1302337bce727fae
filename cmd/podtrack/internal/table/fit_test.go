package table

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// screen is a writer of a given width.
type screen struct {
	bytes.Buffer
	width int
}

func (s *screen) Width() int { return s.width }

func printed(t *testing.T, g *Table, format string, width int) []string {
	t.Helper()
	s := &screen{width: width}
	if err := g.Print(s, format); err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(s.String(), "\n"), "\n")
}

func measures() *Table {
	g := newTable(Right("k"), Left("link").Optional(2), Right("option length").CSV("length"), Right("final").Optional(1),
		Left("why"))
	g.add("0", "bbda0d75bb38", "12.5", "1234", "its eigenvalue is not above the threshold")
	g.add("1", "a9cd3f9c39a8", "3.0", "7", "")
	return g
}

func TestFit(t *testing.T) {
	for _, test := range []struct {
		width int
		want  string
	}{
		{0, `
k  link          option length  final  why
──────────────────────────────────────────────────────────────────────────────────
0  bbda0d75bb38           12.5   1234  its eigenvalue is not above the threshold
1  a9cd3f9c39a8            3.0      7`},
		{60, `
k  link          option  final  why
                 length
────────────────────────────────────────────────────────────
0  bbda0d75bb38    12.5   1234  its eigenvalue is not above
                                the threshold
1  a9cd3f9c39a8     3.0      7`},
		{48, `
k  link          option  why
                 length
────────────────────────────────────────────────
0  bbda0d75bb38    12.5  its eigenvalue is not
                         above the threshold
1  a9cd3f9c39a8     3.0
1 column hidden: final. COLUMNS=80 shows all.`},
		{21, `
k  option  why
   length
─────────────────────
0    12.5  its
           eigenvalue
           is not
           above the
           threshold
1     3.0
2 columns hidden:
final, link.
COLUMNS=80 shows all.`},
		{20, `
k  option length
──────────────────
0           12.5
1            3.0
3 columns hidden:
final, link, why.
COLUMNS=80 shows
all.`},
	} {
		if got := "\n" + strings.Join(printed(t, measures(), "table", test.width), "\n"); got != test.want {
			t.Errorf("in %d columns:%s\nwant:%s", test.width, got, test.want)
		}
	}
}

// TestWordsStayWhole: what does not fit is hidden, the last column first, before words are broken.
func TestWordsStayWhole(t *testing.T) {
	g := newTable(Left("k"), Left("collect"), Right("option similarity"), Left("verdict").Optional(1), Left("why"))
	g.add("0", "identical", "0.708", "different", "two's-complement")
	chosen := newTable(slices.Clone(g.Columns)...)
	for i := range chosen.Columns {
		chosen.Columns[i].Rank = Always
	}
	chosen.Rows = g.Rows
	if lines := chosen.Lines(20); lines[0] != "k  collect        option  verdict    why" {
		t.Errorf("columns that stay: %q", lines)
	}
	for width, want := range map[int]string{
		53: "k  collect        option  verdict    why|              similarity|" +
			"|0  identical       0.708  different  two's-complement",
		42: "k  collect        option  why|              similarity||0  identical       0.708  two's-complement|" +
			"1 column hidden: verdict. COLUMNS=60 shows|all.",
		27: "k  collect        option|              similarity||0  identical       0.708|2 columns",
		22: "k  collect||0  identical|3 columns hidden:|verdict, why, option|similarity. COLUMNS=60|",
		9:  "k  collect||0  identical|", // wider than the limit
	} {
		lines := strings.Join(g.Lines(width), "|")
		if got := strings.ReplaceAll(lines, "─", ""); !strings.HasPrefix(got, want) {
			t.Errorf("in %d columns: %s, want %s", width, got, want)
		}
	}
}

func TestHiddenTwice(t *testing.T) {
	g := newTable(Left("area"), Left("interval").Optional(1), Left("interval").Optional(1), Left("runs").Optional(1))
	g.add("0.5", "0.4 … 0.6", "0.3 … 0.7", "12")
	lines := g.Lines(5)
	if got, want := strings.Join(lines[3:], " "),
		"3 colum ns hidde n: runs, inter val (2 times ). COLUM NS=32 shows all."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestCSVHasAll: CSV has its own names of columns, and all of them at any width.
func TestCSVHasAll(t *testing.T) {
	for format, want := range map[string]string{
		"csv": "k,link,length,final,why", "markdown": "| k | link | option length | final | why |",
	} {
		if got := printed(t, measures(), format, 20)[0]; got != want {
			t.Errorf("%s: %q, want %q", format, got, want)
		}
	}
}

// TestAnyTableFits: a table of texts fits a screen that is not too narrow, and loses no
// word of the columns that it shows.
func TestAnyTableFits(t *testing.T) {
	cell := rapid.StringOfN(rapid.RuneFrom([]rune("ab 世é")), 0, 60, -1)
	rapid.Check(t, func(t *rapid.T) {
		g := newTable(Left("first"))
		for range rapid.IntRange(0, 9).Draw(t, "columns") {
			g.Columns = append(g.Columns, Left("a title").Optional(rapid.IntRange(1, 3).Draw(t, "rank")))
		}
		for range rapid.IntRange(0, 5).Draw(t, "rows") {
			var row []string
			for range g.Columns {
				row = append(row, cell.Draw(t, "cell"))
			}
			g.Rows = append(g.Rows, row)
		}
		limit := rapid.IntRange(24, 100).Draw(t, "width")
		first := ""
		for _, row := range g.Rows {
			first += strings.ReplaceAll(row[0], " ", "")
		}
		lines := g.Lines(limit)
		for _, line := range lines {
			if width(line) > limit {
				t.Fatalf("%d columns of %d: %q", width(line), limit, line)
			}
		}
		all := strings.ReplaceAll(strings.Join(lines, ""), " ", "")
		if len(g.Columns) == 1 && !strings.Contains(all, first) {
			t.Fatalf("%q is not in %q", first, lines)
		}
	})
}

// TestShrinkLimit: a text is wrapped to the least width if the limit allows it, and no narrower.
func TestShrinkLimit(t *testing.T) {
	g := newTable(Left("a"))
	g.add("aaaaaaaa bbbbbbbb")
	if at, beyond := g.shrink(8, 8), g.shrink(7, 8); !slices.Equal(at, []int{8}) || beyond != nil {
		t.Errorf("widths at the limit %v, one beyond %v", at, beyond)
	}
}

// TestHiddenLimit: twelve hidden columns are named, and of thirteen the last is not.
func TestHiddenLimit(t *testing.T) {
	for n, cut := range map[int]bool{12: false, 13: true} {
		g := newTable(Left("area"))
		for i := range n {
			g.Columns = append(g.Columns, Left(string(rune('a'+i))).Optional(1))
		}
		g.add(strings.Split("0.5"+strings.Repeat(",a-text", n), ",")...)
		said := strings.Join(g.Lines(6), "")
		if strings.Contains(said, "…") != cut || !strings.Contains(said, "hidde") {
			t.Errorf("%d columns are hidden: %q", n, said)
		}
	}
}
