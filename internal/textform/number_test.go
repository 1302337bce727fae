package textform

import (
	"strconv"
	"testing"

	"pgregory.net/rapid"
)

func TestPlainInteger(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"1e6": "1000000", "2.5e3": "2500", "1E+2": "100", "7.0": "7", "-1e2": "-100",
		"1.8446744073709551615e19": "18446744073709551615",
		"0e5":                      "0", "-0.0": "0", "007": "7", "12": "12", "100e19": "100e19", "1e99": "1e99",
		"1.5": "1.5", "1e-3": "1e-3", "e3": "e3", ".": ".", "": "", "0x10": "0x10", "1_000": "1_000", "Inf": "Inf",
		"1e":    "1e",
		"1e3e3": "1e3e3", "--1": "--1", "+1": "+1", "1.2.3": "1.2.3", "one": "one",
	} {
		if got := PlainInteger(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	rapid.Check(t, func(t *rapid.T) { // whatever float is written, a whole number keeps its value
		x := rapid.Float64().Draw(t, "x")
		text := strconv.FormatFloat(x, 'e', -1, 64)
		back, err := strconv.ParseFloat(PlainInteger(text), 64)
		if err != nil || back != x {
			t.Fatalf("%s is %g, %v", text, back, err)
		}
		n := rapid.Uint64().Draw(t, "n")
		if text := strconv.FormatUint(n, 10); PlainInteger(text) != text {
			t.Fatalf("%s is %s", text, PlainInteger(text))
		}
	})
}
