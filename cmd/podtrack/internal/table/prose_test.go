package table

import (
	"bytes"
	"testing"
)

func TestPValue(t *testing.T) {
	for want, p := range map[string]float64{
		"< 0.0001": 0.00009, "0.0001": 0.0001, "0.0006": 0.0006, "1.0000": 1, "0.0500": 0.05,
	} {
		if got := PValue(&p, 4); got != want {
			t.Errorf("%v: %q, want %q", p, got, want)
		}
	}
	zero := 0.0
	if PValue(&zero, 3) != "< 0.001" || PValue(nil, 3) != None {
		t.Error("0 or no p-value")
	}
}

func TestProse(t *testing.T) {
	var out bytes.Buffer
	Text{&out}.Prose("%d words, of which no line of the output has more than are %d columns wide, as of a page", 18, 80)
	const want = "18 words, of which no line of the output has more than are 80 columns wide, as\nof a page\n"
	if out.String() != want {
		t.Errorf("%q", out.String())
	}
}
