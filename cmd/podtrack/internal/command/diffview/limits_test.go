package diffview

import (
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
)

// TestLimits: what a limit allows is accepted or shown whole, and one more is refused or cut.
func TestLimits(t *testing.T) {
	for text, allowed := range map[string]bool{"1": true, "1.0001": false, "0": false, "1e-9": true, "NaN": false} {
		if _, err := ParseLimits(&text, nil, nil); (err == nil) != allowed || !allowed && schema.Remedy(err) == "" {
			t.Errorf("a share of %s: %v", text, err)
		}
	}
	for _, n := range []int{10, 11} {
		found := diff.Clustering{By: diff.Purposes, Purposes: slices.Repeat([]diff.Distinct{{Runs: 2}}, n)}
		if shown := len(mostShared(found)); shown != 10 {
			t.Errorf("of %d shared purposes %d are shown", n, shown)
		}
	}
	parts := []string{"0", "2", "4", "6", "8", "10", "12", "14", "16"}
	if at, beyond := shortList(parts[:8], 8), shortList(parts, 8); at != "0,2,4,6,8,10,12,14" || beyond != at+",…" {
		t.Errorf("seeds are listed as %s and %s", at, beyond)
	}
}
