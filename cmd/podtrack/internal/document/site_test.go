package document

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
)

// testSite is a site that shows what show prints, and nothing else.
var testSite = Site{Head: "HEAD\n", Above: "ABOVE\n", Below: "BELOW\n", Chosen: []string{"b"},
	Sort: func(string) string { return "" },
	Address: func(words []string) string {
		if words[0] != "show" {
			return ""
		}
		return "show?" + url.Values{"of": words[1:]}.Encode()
	}}

// listOf returns a table whose first cells open what a command prints of them.
func listOf(command string, runs ...string) *table.Table {
	return table.Of(runs,
		table.Opens(table.Value(table.Left("run"), func(r *string) any { return *r }), func(r *string) []string {
			return []string{command, *r}
		}),
		table.Value(table.Right("n"), func(*string) any { return 1 }))
}

// TestSite shows what a site adds to a page: what is around documents, links, and boxes to choose runs of a list.
func TestSite(t *testing.T) {
	p := Open(testSite.Within(t.Context()), "A <title>")
	for _, g := range []*table.Table{listOf("show", "a", "b"), listOf("show", "a"), listOf("replay", "a", "b")} {
		if err := g.Print(p, table.Formats[0]); err != nil {
			t.Fatal(err)
		}
	}
	p.Link([]string{"show", "a", "&"}, "podtrack show a '&'")
	p.Link([]string{"replay", "a"}, "podtrack replay a")
	const want = `<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
HEAD
<title>A &lt;title&gt;</title>
</head>
<body>
ABOVE
<main id="document">
<h1>A &lt;title&gt;</h1>
<div class="table" tabindex="0"><table>
<thead><tr><th><span class="hidden">chosen</span></th><th>run</th><th class="right">n</th></tr></thead>
<tbody>
<tr><td><input type="checkbox" form="chosen" name="of" value="a" aria-label="choose a"></td>
<td><a href="show?of=a">a</a></td><td class="right">1</td></tr>
<tr><td><input type="checkbox" form="chosen" name="of" value="b" aria-label="choose b" checked></td>
<td><a href="show?of=b">b</a></td><td class="right">1</td></tr>
</tbody>
</table></div>
<div class="table" tabindex="0"><table>
<thead><tr><th>run</th><th class="right">n</th></tr></thead>
<tbody>
<tr><td><a href="show?of=a">a</a></td><td class="right">1</td></tr>
</tbody>
</table></div>
<div class="table" tabindex="0"><table>
<thead><tr><th>run</th><th class="right">n</th></tr></thead>
<tbody>
<tr><td>a</td><td class="right">1</td></tr>
<tr><td>b</td><td class="right">1</td></tr>
</tbody>
</table></div>
<p class="link"><code><a href="show?of=a&amp;of=%26">podtrack show a &#39;&amp;&#39;</a></code></p>
<p class="link"><code>podtrack replay a</code></p>
</main>
BELOW
</body>
</html>
`
	got := strings.ReplaceAll(string(p.Whole()), "></td><td><a", "></td>\n<td><a") // whose lines are long
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestSort: the titles of a list of runs lead to it in another order, and those of other tables do not.
func TestSort(t *testing.T) {
	s := testSite
	s.Sort = func(column string) string { return "ls?" + url.Values{"sort": {column}}.Encode() }
	p := Open(s.Within(t.Context()), "A title")
	for _, g := range []*table.Table{listOf("show", "a", "b"), listOf("replay", "a", "b")} {
		if err := g.Print(p, table.Formats[0]); err != nil {
			t.Fatal(err)
		}
	}
	page := string(p.Whole())
	for _, want := range []string{`<th><a href="ls?sort=run">run</a></th>`,
		`<th class="right"><a href="ls?sort=n">n</a></th>`} {
		if strings.Count(page, want) != 1 {
			t.Errorf("not once %s:\n%s", want, page)
		}
	}
}

// TestAlone: a page without a site needs no other file, and asks for none.
func TestAlone(t *testing.T) {
	p := Open(t.Context(), "A title")
	if err := listOf("show", "a", "b").Print(p, table.Formats[0]); err != nil {
		t.Fatal(err)
	}
	p.Link([]string{"show", "a"}, "podtrack show a")
	page := string(p.Whole())
	for _, none := range []string{"<a ", "<input", "<script", "<link", "src=", "url("} {
		if strings.Contains(page, none) {
			t.Errorf("the page has %s:\n%s", none, page)
		}
	}
	for _, has := range []string{"<!DOCTYPE html>\n<html", "default-src 'none'", "<style>", "podtrack show a</code>",
		"</body>\n</html>\n"} {
		if !strings.Contains(page, has) {
			t.Errorf("the page lacks %s:\n%s", has, page)
		}
	}
}

// TestSiteEscapes: no name of a run ends an attribute or begins an element.
func TestSiteEscapes(t *testing.T) {
	page := func(name string) string {
		s := testSite
		s.Chosen = []string{name}
		p := Open(s.Within(t.Context()), name)
		if err := listOf("show", name, "x").Print(p, table.Formats[0]); err != nil {
			t.Fatal(err)
		}
		p.Link([]string{"show", name}, name)
		return string(p.Whole())
	}
	count := func(text string) string {
		return fmt.Sprint(strings.Count(text, "<"), strings.Count(text, ">"), strings.Count(text, `"`))
	}
	for _, hostile := range []string{`"><script>alert(1)</script>`, "'onmouseover='x", "</main><base href=//attacker.ex>",
		"&quot;", "javascript:alert(1)", "\u202e\x00\x1b[2J"} {
		got := page(hostile)
		if count(got) != count(page("harmless")) || strings.Contains(got, "href=\"javascript") {
			t.Errorf("%q becomes\n%s", hostile, got)
		}
	}
}

// TestWithin: what commands print about parts of a page goes into it.
func TestWithin(t *testing.T) {
	p := New("", "A title")
	if PageOf(t.Context()) != nil || PageOf(p.Within(t.Context())) != p {
		t.Error("the page of a context is another")
	}
}
