package show

import (
	"math"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestFlagsOfAllFigures: the command itself knows the flags of every figure, so that it reports a figure that it does
// not know, whatever flags stand beside it.
func TestFlagsOfAllFigures(t *testing.T) {
	names := map[string]int{}
	for _, f := range flagsOfAll() {
		names[f.Names()[0]]++
	}
	for _, k := range figure.Kinds() {
		for _, f := range flagsOfKind(k, new(Picture)) {
			if name := f.Names()[0]; names[name] != 1 {
				t.Errorf("--%s of %s is known %d times", name, k.Name, names[name])
			}
		}
	}
}

// TestKinds: each figure says what it shows, and none of its choices is a flag that all figures have.
func TestKinds(t *testing.T) {
	all := figure.Kinds()
	if len(all) < 9 {
		t.Errorf("there are %d figures", len(all))
	}
	for _, k := range all {
		names := map[string]bool{"store": true}
		for _, f := range new(Picture).flags() {
			names[f.Names()[0]] = true
		}
		if k.Usage == "" || (k.Read == nil) == (k.ReadPart == nil) {
			t.Errorf("%s has no usage, or cannot be read", k.Name)
		}
		for _, c := range k.Choices {
			if names[c.Name] {
				t.Errorf("%s has two flags --%s", k.Name, c.Name)
			}
			names[c.Name] = true
		}
	}
}

func TestParseWidth(t *testing.T) {
	for text, want := range map[string]float64{ // points; 0 for refused
		"3.25in": 234, "6in": 432, "2.54cm": 0, "25.4cm": 720, "254mm": 720, "300pt": 300, "10 cm": 1000 * 0.72 / 2.54, "": 0,
		"6": 0, "in": 0, "0in": 0,
		"-3in": 0, "1e9in": 0, "NaNin": 0, "Infin": 0, "3IN": 0, "3inin": 0, "6px": 0, "0x1p3in": 576,
	} {
		got, err := parseWidth(text)
		if math.Abs(got-want) > 1e-9 || (err == nil) != (want > 0) {
			t.Errorf("%q is %g: %v", text, got, err)
		}
	}
}

// TestLimits: a width at a limit is accepted, and one beyond is refused with the limits.
func TestLimits(t *testing.T) {
	width := func(text string) error {
		_, err := parseWidth(text)
		return err
	}
	schematest.Limits{
		{"the least width", " … 1.5in to 20in", width("1.5in"), width("1.49in")},
		{"the largest width", " … 1.5in to 20in", width("20in"), width("20.01in")},
	}.Check(t)
}
