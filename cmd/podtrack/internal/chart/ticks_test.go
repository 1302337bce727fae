package chart

import (
	"strings"
	"testing"
)

// TestLogTicks: the ticks of one axis have one form.
func TestLogTicks(t *testing.T) {
	var texts []string
	for _, tick := range decades(100, 2000, 9) {
		texts = append(texts, tick.Text)
	}
	if got := strings.Join(texts, " "); got != "100 200 500 1000 2000" {
		t.Errorf("ticks are %s", got)
	}
}

// TestShortLogAxis: an axis of less than a decade has ticks, too.
func TestShortLogAxis(t *testing.T) {
	for _, ends := range [][2]float64{{30, 45}, {1, 1.2}, {0.1, 3}, {1, 1e6}, {7, 8}} {
		a := Axis{Low: ends[0], High: ends[1], Log: true}.divide(5)
		if len(a.Ticks) < 2 || a.Ticks[0].At < a.Low*(1-1e-9) || a.Ticks[len(a.Ticks)-1].At > a.High*(1+1e-9) {
			t.Errorf("%v has the ticks %v", ends, a.Ticks)
		}
	}
}
