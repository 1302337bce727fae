package why_test

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// TestExternalMethod: of directions that came from outside, why tells how much of the steps lies along them, what
// holds of their records, and nothing of what made them.
func TestExternalMethod(t *testing.T) {
	data, err := os.ReadFile(fmt.Sprintf("../testdata/format-%d.db", schema.FormatVersion))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "store.db")
	if err := os.WriteFile(path, data, 0o666); err != nil {
		t.Fatal(err)
	}
	run, err := report.Open(t.Context(), tracker.New(path, tracker.Options{}), "external-stages")
	if err != nil {
		t.Fatal(err)
	}
	ref := report.Ref{Run: "external-stages", K: 1, J: 1, Sign: 1}
	r, err := why.Explain(t.Context(), run, why.Question{Ref: ref})
	if err != nil {
		t.Fatal(err)
	}
	if !r.Verified() || r.Purpose.DirectionsFrom != "served/svd 1" || r.Purpose.SelectedBy != "served/select 1" ||
		!strings.Contains(strings.Join(r.Purpose.Warnings, ""), "nothing proves that the data led to it") {
		t.Errorf("verified %v, purpose %+v", r.Verified(), r.Purpose)
	}
	share := 0.0
	for _, e := range r.Evidence {
		share += e.Share
	}
	for _, s := range r.Sources {
		if s.Without != nil {
			t.Errorf("D was factored without %s", s.Source)
		}
	}
	if math.Abs(share-1) > 1e-9 || len(r.Sources) == 0 || r.Acts == nil {
		t.Errorf("shares add up to %v, %d sources, acts %v", share, len(r.Sources), r.Acts)
	}
	ref.K = 0
	e, err := why.FindEffects(t.Context(), run, ref, func(int, int) {})
	if err != nil {
		t.Fatal(err)
	}
	if e.DirectionsFrom != "served/svd 1" || len(e.Purposes) != 0 || len(e.Uses) != 1 || e.Later == 0 {
		t.Errorf("effects %+v", e)
	}
}
