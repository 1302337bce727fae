package document

import (
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
)

// TestPage shows what becomes of text, tables and notes.
func TestPage(t *testing.T) {
	p := New("", "A <title>")
	fmt.Fprintf(p, "first\nsec")
	fmt.Fprintf(p, "ond\n\n")
	p.StartSection("Nothing follows")
	p.StartSection("A table")
	g := &table.Table{Columns: []table.Column{table.Left("name"), table.Right("n")},
		Rows: [][]string{{"a & b", "1"}, {strings.Repeat("d", longCell+1), "2"}}}
	if err := g.Print(p, table.Formats[0]); err != nil {
		t.Fatal(err)
	}
	fmt.Fprintln(p, "a note")
	fmt.Fprintln(p, "\nno note")
	p.Command("podtrack check 'x'")
	p.Details("more", "{\n}\n")
	_, got, _ := strings.Cut(string(p.Text()), "<main>\n")
	want := `<h1>A &lt;title&gt;</h1>
<p>first</p>
<p>second</p>
<section>
<h2>A table</h2>
<div class="table" tabindex="0"><table>
<thead><tr><th>name</th><th class="right">n</th></tr></thead>
<tbody>
<tr><td>a &amp; b</td><td class="right">1</td></tr>
<tr><td class="long">` + strings.Repeat("d", longCell+1) + `</td><td class="right">2</td></tr>
</tbody>
</table></div>
<p class="note">a note</p>
<p>no note</p>
<pre class="command"><code>podtrack check &#39;x&#39;</code></pre>
<details open>
<summary>more</summary>
<pre tabindex="0">{
}
</pre>
</details>
</section>
</main>
`
	if got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestNothingIsInjected: whatever text a page is given, its elements are those that a harmless text
// has, and nothing in it is invisible.
func TestNothingIsInjected(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		hostile := rapid.OneOf(rapid.String(), rapid.SampledFrom([]string{
			"</script><script>alert(1)</script>", "</style>", "<!--", "]]>", "\u202e\u2066", "a\"b'c", "&lt;", "\x00\x1b[2J",
			`<script type="application/vnd.podtrack.evidence" data-bytes="1">`,
		})).Draw(t, "text")
		hostile = strings.ReplaceAll(hostile, "\n", " ")
		if got, want := elements(t, hostile), elements(t, "harmless"); got != want {
			t.Fatalf("%q has the elements\n%s\nnot\n%s", hostile, got, want)
		}
	})
}

// elements lists the elements of a page with a text wherever it can have one.
func elements(t *rapid.T, hostile string) (found string) {
	p := New("", "x"+hostile)
	fmt.Fprintf(p, "%s\n", "x"+hostile)
	p.StartSection("x" + hostile)
	g := &table.Table{Columns: []table.Column{table.Left("x" + hostile), table.Right("n")},
		Rows: [][]string{{"x" + hostile, "1"}}}
	if err := g.Print(p, table.Formats[0]); err != nil {
		t.Fatal(err)
	}
	p.Command("x" + hostile)
	p.Details("x"+hostile, "x"+hostile)
	page := string(p.Text())
	for _, r := range page {
		if r < ' ' && r != '\n' || r == '\u202e' || r == '\u2066' {
			t.Fatalf("the page has %q", r)
		}
	}
	_, page, _ = strings.Cut(strings.ReplaceAll(page, "<details open>", "<details>"), "<main>")
	d := xml.NewDecoder(strings.NewReader("<main>" + page))
	d.Strict = true
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return found
		}
		if err != nil {
			t.Fatalf("%v in %q", err, page)
		}
		switch x := token.(type) {
		case xml.StartElement:
			found += strings.ReplaceAll(fmt.Sprintf("%s%v ", x.Name.Local, x.Attr), "[{{ class} long}]", "[]")
		case xml.Comment, xml.ProcInst, xml.Directive:
			t.Fatalf("%T in the page", x)
		}
	}
}
