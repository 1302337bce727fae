package sweep

import (
	"strings"
	"testing"
)

// TestShortSeeds: seeds of 40 characters are shown whole, and of more it is shown that some are left out.
func TestShortSeeds(t *testing.T) {
	seeds := func(n int) string { return shortSeeds(strings.Repeat("7,", n/2)[:n-1] + "8") }
	if at, beyond := seeds(40), seeds(41); strings.Contains(at, "…") || !strings.Contains(beyond, "…") {
		t.Errorf("40 characters: %s; 41: %s", at, beyond)
	}
}
