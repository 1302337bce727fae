package group

import (
	"slices"
	"testing"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
)

// placedRun returns a run in a study of settings named s0, s1, … and variants with the labels v0, v1, ….
func placedRun(study string, setting, variant int) report.Run {
	name := func(prefix string, i int) string { return prefix + string(rune('0'+i)) }
	r := report.Run{}
	r.Places = []tracker.Membership{{Study: study, Setting: runset.Setting{Name: name("s", setting)},
		Variant: runset.Variant{Name: "x", Label: name("v", variant)}, Cell: runset.Cell{Setting: setting, Variant: variant}}}
	return r
}

// TestLooks: a variant has the look of its place in the study in every figure, and what is in no study that of its
// place in the figure.
func TestLooks(t *testing.T) {
	run := func(setting, variant int) report.Run { return placedRun("a", setting, variant) }
	twice := run(0, 1)
	twice.Places = append(twice.Places, twice.Places[0])
	for _, c := range []struct {
		name string
		sets [][]report.Run
		want []Look
	}{
		{"variants", [][]report.Run{{run(0, 3), run(1, 3)}, {run(0, 1)}}, []Look{{3, 0, "v3"}, {1, 0, "v1"}}},
		{"one variant", [][]report.Run{{run(2, 4)}}, []Look{{4, 0, "v4"}}},
		{"settings", [][]report.Run{{run(1, 2), run(1, 3)}, {run(2, 2)}}, []Look{{1, 0, "s1"}, {2, 0, "s2"}}},
		{"both", [][]report.Run{{run(0, 1)}, {run(1, 1)}, {run(0, 2)}},
			[]Look{{1, 0, "v1, s0"}, {1, 1, "v1, s1"}, {2, 0, "v2, s0"}}},
		{"seeds of a variant", [][]report.Run{{run(0, 1)}, {run(0, 1)}}, []Look{{0, 0, ""}, {1, 0, ""}}},
		{"two studies", [][]report.Run{{run(0, 1)}, {placedRun("b", 0, 2)}}, []Look{{0, 0, ""}, {1, 0, ""}}},
		{"several places", [][]report.Run{{twice}, {run(0, 3)}}, []Look{{0, 0, ""}, {1, 0, ""}}},
		{"no study", [][]report.Run{{report.Run{}}, {run(0, 3)}}, []Look{{0, 0, ""}, {1, 0, ""}}},
		{"no runs", [][]report.Run{nil, {run(0, 3)}}, []Look{{0, 0, ""}, {1, 0, ""}}},
	} {
		if got := LooksOf(c.sets); !slices.Equal(got, c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
