package textfmt

import (
	"math"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

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

// TestFormatNumber: σ of 2e300 has 301 digits before the point.
func TestFormatNumber(t *testing.T) {
	for _, c := range []struct {
		x      float64
		digits int
		want   string
	}{
		{2e300, 3, "2.000e+300"}, {-2e300, 0, "-2.000e+300"}, {123456.789, 1, "123456.8"},
		{999999999999999, 0, "999999999999999"},
		{1e15, 0, "1.000e+15"}, {-0.0001, 2, "0.00"}, {math.Copysign(0, -1), 1, "0.0"}, {-0.5, 1, "-0.5"},
	} {
		if got := FormatNumber(c.x, c.digits); got != c.want {
			t.Errorf("%v with %d digits: %s, want %s", c.x, c.digits, got, c.want)
		}
	}
}

// TestEnds: an end of an interval that is not 0 is never shown as 0, halves included, which are rounded to even.
func TestEnds(t *testing.T) {
	for x, want := range map[float64]string{0: "0", 0.5: "0.5", -0.5: "-0.5", 1.5: "2", 1e-9: "1e-09"} {
		if got := FormatEnd(x, 0); got != want {
			t.Errorf("%v is %s, want %s", x, got, want)
		}
	}
}

// TestNumbersRoundTrip: a formatted number is parsed as the same number, up to the digits shown, and is never long.
func TestNumbersRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		x, digits := rapid.Float64Range(-1.79e308, 1.79e308).Draw(t, "x"), rapid.IntRange(0, 6).Draw(t, "digits")
		text := FormatNumber(x, digits)
		back, err := strconv.ParseFloat(text, 64)
		if err != nil || len(text) > 24 {
			t.Fatalf("%v is %q, of %d characters: %v", x, text, len(text), err)
		}
		half := max(0.5*math.Pow10(-digits), math.Abs(x)*0.5e-3) * (1 + 1e-9)
		if math.Abs(x) < scientific {
			half = 0.5 * math.Pow10(-digits) * (1 + 1e-9)
		}
		if math.Abs(back-x) > half+math.Abs(x)*1e-15 || strings.HasPrefix(text, "-") && back == 0 {
			t.Fatalf("%v with %d digits is %s", x, digits, text)
		}
		end := FormatEnd(x, digits)
		read, err := strconv.ParseFloat(end, 64)
		if err != nil || (read > 0) != (x > 0) || (read < 0) != (x < 0) || len(end) > 24 {
			t.Fatalf("the end %v of an interval is %s", x, end)
		}
	})
}

// TestShorten: a text is unchanged, or a prefix of whole characters with an ellipsis.
func TestShorten(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text, most := rapid.String().Draw(t, "text"), rapid.IntRange(1, 40).Draw(t, "most")
		got := Shorten(text, most)
		if n := utf8.RuneCountInString(got); n > most {
			t.Fatalf("%q has %d characters, not %d", got, n, most)
		}
		kept, cut := strings.CutSuffix(got, ellipsis)
		if got != text && (!cut || !strings.HasPrefix(text, strings.TrimSuffix(kept, " "))) {
			t.Fatalf("%q to %d characters is %q", text, most, got)
		}
	})
	for text, want := range map[string]string{
		"one two three": "one two …", "onetwothree": "onetwothr…", "日本語日本語日本語日本": "日本語日本語日本語…",
	} {
		if got := Shorten(text, 10); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
