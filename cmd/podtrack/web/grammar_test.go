package web

import (
	"flag"
	"fmt"
	"image/color"
	"os"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay/grammar"
)

var update = flag.Bool("update", false, "write the page's style/grammar.css")

// grammarCSS returns the colours of data as the page has them.
func grammarCSS() string {
	var b strings.Builder
	b.WriteString("/* Made from replay/grammar by go test ./cmd/podtrack/web -run Grammar -update. */\n")
	for i, p := range grammar.Palettes {
		selector := ":root"
		if i > 0 {
			selector += fmt.Sprintf("[data-theme=%q]", p.Theme)
		}
		fmt.Fprintf(&b, "%s {\n", selector)
		set := func(name string, c color.NRGBA) { fmt.Fprintf(&b, "  --%s: #%02x%02x%02x;\n", name, c.R, c.G, c.B) }
		set("plus", p.Plus())
		set("minus", p.Minus())
		for n, c := range p.Series {
			set(fmt.Sprintf("series-%d", n), c)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// TestGrammar holds the colours of the page to those of figures.
func TestGrammar(t *testing.T) {
	const path = "ui/src/style/grammar.css"
	if *update {
		if err := os.WriteFile(path, []byte(grammarCSS()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != grammarCSS() {
		t.Errorf("%s has other colours than replay/grammar; go test ./cmd/podtrack/web -run Grammar -update", path)
	}
}
