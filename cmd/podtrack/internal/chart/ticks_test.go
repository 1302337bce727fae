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
