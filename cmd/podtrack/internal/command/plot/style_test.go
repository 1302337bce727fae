package plot

import (
	"math"
	"testing"

	"github.com/podtrack/podtrack/replay/figure"
)

func TestParseLength(t *testing.T) {
	for text, want := range map[string]float64{ // points; 0 for refused
		"3.25in": 234, "6in": 432, "2.54cm": 0, "25.4cm": 720, "254mm": 720, "300pt": 300, "10 cm": 1000 * 0.72 / 2.54, "": 0,
		"6": 0, "in": 0, "0in": 0,
		"-3in": 0, "1e9in": 0, "NaNin": 0, "Infin": 0, "3IN": 0, "3inin": 0, "6px": 0, "0x1p3in": 576,
	} {
		got, err := parseLength("width", text, figure.MinWidth, figure.MaxWidth)
		if math.Abs(got-want) > 1e-9 || (err == nil) != (want > 0) {
			t.Errorf("%q is %g: %v", text, got, err)
		}
	}
}
