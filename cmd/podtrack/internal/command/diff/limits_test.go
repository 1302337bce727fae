package diff

import (
	"slices"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
)

// TestLimits: what a limit allows is accepted or shown whole, and one more is refused or cut.
func TestLimits(t *testing.T) {
	draws := func(n string) error {
		_, err := parseDraws(&n)
		return err
	}
	for at, beyond := range map[string]string{"1": "0", "1000000": "1000001"} {
		if err := draws(at); err != nil {
			t.Errorf("%s draws: %v", at, err)
		}
		if err := draws(beyond); err == nil || !strings.Contains(err.Error(), beyond) ||
			!strings.Contains(schema.Remedy(err), "1 to 1000000") {
			t.Errorf("%s draws: %v", beyond, err)
		}
	}
	for text, allowed := range map[string]bool{"1": true, "1.0001": false, "0": false, "1e-9": true, "NaN": false} {
		if _, err := ParseShare("cosine", text); (err == nil) != allowed || !allowed && schema.Remedy(err) == "" {
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
