package web

import (
	"flag"
	"fmt"
	"image/color"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay/grammar"
)

var update = flag.Bool("update", false, "write what the page has of replay/grammar")

// madeBy is the first line of what is made.
const madeBy = "Made from replay/grammar by go test ./cmd/podtrack/web -run Grammar -update."

// grammarCSS returns the colours of data as the page has them.
func grammarCSS() string {
	var b strings.Builder
	b.WriteString("/* " + madeBy + " */\n")
	for i, p := range grammar.Palettes {
		selector := ":root"
		if i > 0 {
			selector += fmt.Sprintf("[data-theme=%q]", p.Theme)
		}
		fmt.Fprintf(&b, "%s {\n", selector)
		set := func(name string, c color.NRGBA) { fmt.Fprintf(&b, "  --%s: #%02x%02x%02x;\n", name, c.R, c.G, c.B) }
		set("plus", p.Plus())
		set("minus", p.Minus())
		set("neutral", p.Neutral)
		for n, c := range p.Series {
			set(fmt.Sprintf("series-%d", n), c)
		}
		b.WriteString("}\n")
	}
	return b.String()
}

// grammarTS returns the forms of numbers as the page has them.
func grammarTS() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n\n", madeBy)
	fmt.Fprintf(&b, "export const shortDigits = %d;\n\nexport const decimals = {", grammar.ShortDigits)
	for _, quantity := range slices.Sorted(maps.Keys(grammar.Decimals)) {
		fmt.Fprintf(&b, " %s: %d,", quantity, grammar.Decimals[quantity])
	}
	return strings.TrimSuffix(b.String(), ",") + " };\n"
}

// TestGrammar holds the colours and the numbers of the page to those of figures.
func TestGrammar(t *testing.T) {
	for path, want := range map[string]string{"ui/src/style/grammar.css": grammarCSS(), "ui/src/grammar.ts": grammarTS()} {
		if *update {
			ok(t, os.WriteFile(path, []byte(want), 0o644))
		}
		got, err := os.ReadFile(path)
		ok(t, err)
		if string(got) != want {
			t.Errorf("%s differs from replay/grammar; go test ./cmd/podtrack/web -run Grammar -update", path)
		}
	}
}
