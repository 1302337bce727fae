package figure

import (
	"slices"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/chart"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// partOf returns a run of two iterations that no store has.
func partOf(id byte, name string, seed uint64, gamma float64, ancestors ...tracker.Ancestor) Source {
	spec := pod.PaperSpec()
	spec.Seed, spec.Gamma, spec.Steps = seed, gamma, 100
	r := tracker.Run{ID: schema.Digest{id}, Spec: spec, Ancestors: ancestors}
	return Source{Records: &recorded.Records{Run: r, Short: string(rune('a' + id)), Name: name,
		Iterations: make([]schema.Iteration, 2)}, WholeRun: true}
}

// TestLabelParts calls runs by what differs, those with names by them, and those that are alike by their IDs; runs that
// differ in their seeds alone are called alike.
func TestLabelParts(t *testing.T) {
	one, other := partOf(3, "", 1, 0.9), partOf(4, "", 2, 0.9)
	one.WholeRun, one.K, other.WholeRun, other.K = false, 1, false, 0
	for _, c := range []struct {
		parts []Source
		want  []string
	}{
		{[]Source{partOf(0, "", 1, 0.9), partOf(1, "", 2, 0.9)}, []string{"seed 1", "seed 2"}},
		{[]Source{partOf(0, "mine", 1, 0.9), partOf(1, "", 2, 0.5)}, []string{"mine", "seed 2, gamma 0.5"}},
		{[]Source{partOf(0, "", 1, 0.9), partOf(1, "", 1, 0.9), partOf(2, "", 2, 0.9)}, []string{"a", "b", "seed 2"}},
		{[]Source{partOf(0, "mine", 1, 0.9), partOf(1, "", 2, 0.9)}, []string{"seed 1", "seed 2"}},
		{[]Source{partOf(0, "mine", 1, 0.9), partOf(1, "yours", 2, 0.9)}, []string{"mine", "yours"}},
		{[]Source{partOf(0, "", 1, 0.9), one}, []string{"a", "d:1"}},
		{[]Source{one, other}, []string{"seed 1, iteration 1", "seed 2, iteration 0"}},
		{[]Source{partOf(0, "", 1, 0.9)}, []string{"a"}},
	} {
		if got := LabelParts(c.parts...); !slices.Equal(got, c.want) {
			t.Errorf("%q, want %q", got, c.want)
		}
	}
}

// TestForkBesideParent draws the steps that a fork shares with its parent once.
func TestForkBesideParent(t *testing.T) {
	parent := partOf(0, "", 1, 0.9)
	from := tracker.Ancestor{Spec: parent.Spec, Until: 1}
	var err error
	if parent.ID, err = from.ID(); err != nil {
		t.Fatal(err)
	}
	fork := partOf(1, "", 1, 0.5, from)
	parts := []Source{fork, parent}
	since := sharedSteps(parts, 0)
	if since != 100 || sharedSteps(parts, 1) != 0 || sharedSteps(parts[:1], 0) != 0 {
		t.Errorf("the fork is drawn from step %d on, the parent from %d", since, sharedSteps(parts, 1))
	}
	points := []chart.Point{{X: 0, Y: 0}, {X: 99, Y: 3}, {X: 100, Y: 4}, {X: 101, Y: 5}}
	trace := Trace{Points: points, since: since}
	if got := trace.drawn(); !slices.Equal(got, []chart.Point{{X: 100, Y: 4}, {X: 101, Y: 5}}) {
		t.Errorf("drawn is %v", got)
	}
}
