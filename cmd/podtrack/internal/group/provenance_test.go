package group

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// TestProvenanceInStudy: runs of a study differ by their labels there, in its order, and by their seeds.
func TestProvenanceInStudy(t *testing.T) {
	run := func(seed uint64, setting, variant int) report.Run {
		r := report.Run{Spec: pod.PaperSpec(), Seed: seed}
		r.Spec.Seed, r.Spec.Kappa = seed, float64(variant)
		r.Places = []tracker.Membership{{Study: "a", Setting: runset.Setting{Name: "s" + Letter(setting)},
			Variant: runset.Variant{Name: "x", Label: "v" + Letter(variant)},
			Cell:    runset.Cell{Setting: setting, Variant: variant}}}
		return r
	}
	runs := []report.Run{run(0, 1, 2), run(1, 0, 1), run(2, 0, 2)}
	const want = "3 runs that differ in seed (0–2), setting (sa, sb) and variant (vb, vc)"
	if who := whichRuns(runs); who != want {
		t.Errorf("the runs are %s", who)
	}
	runs[2].Places[0].Study = "b"
	if who := whichRuns(runs); !strings.HasSuffix(who, "differ in seed (0–2) and kappa (2, 1)") {
		t.Errorf("runs of two studies are %s", who)
	}
}

// TestListedValues: eight values of a field are listed, and more are counted.
func TestListedValues(t *testing.T) {
	for n, want := range map[int]string{8: "(0, 1, 2, 3, 4, 5, 6, 7)", 9: "(9 values)"} {
		runs := make([]report.Run, n)
		for i := range runs {
			runs[i].Spec = pod.PaperSpec()
			runs[i].Spec.Kappa = float64(i)
		}
		if got := valuesIn(runs, "kappa"); got != want {
			t.Errorf("%d values are %s", n, got)
		}
	}
}
