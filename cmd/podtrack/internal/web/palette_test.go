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

	"github.com/podtrack/podtrack/cmd/podtrack/internal/palette"
	"github.com/podtrack/podtrack/replay/explore"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
)

var update = flag.Bool("update", false, "write what the page has of cmd/podtrack/internal/palette, and of measures")

// madeBy is the first line of what is made.
const madeBy = "Made from cmd/podtrack/internal/palette by go test ./cmd/podtrack/internal/web -run Palette -update."

// paletteCSS returns the colours of data as the page has them.
func paletteCSS() string {
	var b strings.Builder
	b.WriteString("/* " + madeBy + " */\n")
	for i, p := range palette.Palettes {
		selector := ":root"
		if i > 0 {
			selector += fmt.Sprintf("[data-theme=%q]", p.Theme)
		}
		fmt.Fprintf(&b, "%s {\n", selector)
		set := func(name string, c color.NRGBA) { fmt.Fprintf(&b, "  --%s: #%02x%02x%02x;\n", name, c.R, c.G, c.B) }
		set("plus", p.Plus())
		set("minus", p.Minus())
		b.WriteString("}\n")
	}
	return b.String()
}

// decimalsTS returns the forms of numbers as the page has them.
func decimalsTS() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n\n", madeBy)
	fmt.Fprintf(&b, "export const shortDigits = %d;\n\nexport const decimals = {", palette.ShortDigits)
	for _, quantity := range slices.Sorted(maps.Keys(palette.Decimals)) {
		fmt.Fprintf(&b, " %s: %d,", quantity, palette.Decimals[quantity])
	}
	return strings.TrimSuffix(b.String(), ",") + " };\n"
}

// measuresTS returns what is known of measures as the page has it.
func measuresTS() string {
	var b strings.Builder
	fmt.Fprintf(&b, "// %s\n\nexport interface Described {\n  title: string;\n  unit: string;\n  meaning: string;\n"+
		"  digits: number;\n}\n", strings.Replace(madeBy, "cmd/podtrack/internal/palette", "the definitions of measures", 1))
	for _, of := range []struct {
		name     string
		measures []schema.MeasureInfo
	}{{"recordedMeasures", schema.MeasureInfos()}, {"explorationMeasures", explore.MeasureInfos()}} {
		fmt.Fprintf(&b, "\nexport const %s = {\n", of.name)
		for _, m := range of.measures {
			fmt.Fprintf(&b, "  %s: { title: %q, unit: %q, meaning: %q, digits: %d },\n", m.Name, m.Title, m.Unit,
				strings.ReplaceAll(m.Meaning, "*", ""), report.MeasureDigits(m.Name))
		}
		b.WriteString("};\n")
	}
	return b.String()
}

// TestPalette compares the colours and the numbers of the page with those of figures, and its measures with their
// definitions.
func TestPalette(t *testing.T) {
	for path, want := range map[string]string{"ui/src/style/palette.css": paletteCSS(), "ui/src/decimals.ts": decimalsTS(),
		"ui/src/measures.ts": measuresTS()} {
		if *update {
			ok(t, os.WriteFile(path, []byte(want), 0o644))
		}
		got, err := os.ReadFile(path)
		ok(t, err)
		if string(got) != want {
			t.Errorf("%s is not what its definitions make; "+
				"go test ./cmd/podtrack/internal/web -run Palette -update", path)
		}
	}
}
