package why

import (
	"fmt"
	"math"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
)

// circles returns a ring of four states, of which the agent goes twice round to the
// right, and once more in the next iteration, where options take two of the four
// steps. The states' bits are 00, 10, 01, 11, the least significant first, so the
// rows of a round are (1,0), (−1,1), (1,0), (−1,−1), and
//
//	DᵀD = (8 0; 0 4) of two rounds, (4 0; 0 2) of one.
func circles(t *testing.T, change func(*schema.Spec)) *recorded.Records {
	t.Helper()
	spec := small(2, 0)
	spec.Kappa = 1.7
	change(&spec)
	first := (&pen{bits: 2}).act(schema.Primitive, "++++++++")
	second := (&pen{bits: 2}).act(schema.Primitive, "+").act(0, "+").act(2, "+").act(schema.Primitive, "+")
	return handmade(t, filepath.Join(t.TempDir(), "podtrack.db"), spec,
		[][]schema.Transitions{first.chunks, second.chunks})
}

// within compares what is known in closed form.
var within = []cmp.Option{cmpopts.EquateApprox(0, 1e-12), cmpopts.IgnoreUnexported(Source{}, StepRef{})}

// stepsRight returns steps of iteration 0, all of which go right from state 0 on.
func stepsRight(ts ...int64) (steps []StepRef) {
	for _, t := range ts {
		steps = append(steps, StepRef{Step: t, State: int(t) % 4, Next: int(t+1) % 4, Executing: "right"})
	}
	return steps
}

func TestKnownEvidence(t *testing.T) {
	run := circles(t, func(*schema.Spec) {})
	r := asked(t, run, 0, 1, 1)
	gap := math.Sqrt(8) - 2
	want := Purpose{
		J: 1, Sign: 1, Sigma: math.Sqrt(8), Vector: []float64{1, 0}, Features: []string{"bit0", "bit1"},
		Basis:  schema.RightSingular,
		Select: schema.Threshold, Method: schema.POD, Kappa: 1.7, Margin: math.Sqrt(8) - 1.7, GapBelow: &gap,
		Lowest:   gap / math.Sqrt(8),
		Warnings: []string{},
	}
	if d := cmp.Diff(want, r.Purpose, within...); d != "" {
		t.Error(d)
	}
	evidence := []Evidence{
		{Row: []float64{1, 0}, Count: 4, Product: 1, Share: 0.5, Support: 1, Steps: stepsRight(0, 2, 4)},
		{Row: []float64{-1, -1}, Count: 2, Product: -1, Share: 0.25, Steps: stepsRight(3, 7)},
		{Row: []float64{-1, 1}, Count: 2, Product: -1, Share: 0.25, Steps: stepsRight(1, 5)},
	}
	if d := cmp.Diff(evidence, r.Evidence, within...); d != "" {
		t.Error(d)
	}
	second := asked(t, run, 0, 2, -1)
	if p := second.Purpose; p.GapBelow != nil || !near(*p.GapAbove, gap, 1e-12) || !near(p.Sigma, 2, 1e-12) ||
		!near(p.Lowest, gap/2, 1e-12) {
		t.Errorf("the second purpose: %+v", p)
	}
	evidence = []Evidence{
		{Row: []float64{-1, -1}, Count: 2, Product: 1, Share: 0.5, Support: 1, Steps: stepsRight(3, 7)},
		{Row: []float64{-1, 1}, Count: 2, Product: -1, Share: 0.5, Steps: stepsRight(1, 5)},
		{Row: []float64{1, 0}, Count: 4, Steps: stepsRight(0, 2, 4)},
	}
	if d := cmp.Diff(evidence, second.Evidence, within...); d != "" {
		t.Error(d)
	}
}

// TestKnownSources leaves out one source's rows of (4 0; 0 2) after the other:
//
//	the primitive steps: (2 −1; −1 1), σ² = (3+√5)/2, direction (1, −1/φ)
//	option 0's (−1,1):   (3  1;  1 1), σ² = 2+√2,     direction (1, √2−1)
//	option 2's (1,0):    (3  0;  0 2), σ² = 3,        direction (1, 0)
//
// and M = (8 0; 0 4), so that cos_M of (1,y) with (1,0) is 1/√(1 + y²/2).
func TestKnownSources(t *testing.T) {
	run := circles(t, func(*schema.Spec) {})
	names, phi, two := optionNames(t, run), (1+math.Sqrt(5))/2, 2
	cos := func(y float64) float64 { return 1 / math.Sqrt(1+y*y/2) }
	r := asked(t, run, 1, 1, 1)
	withoutRight := Ablation{Cosine: cos(1 / phi), J: 1, Sigma: phi} // 1.618 is under κ
	without0 := Ablation{Cosine: cos(math.Sqrt2 - 1), J: 1, Sigma: math.Sqrt(2 + math.Sqrt2), Selected: true}
	without2 := Ablation{Cosine: 1, J: 1, Sigma: math.Sqrt(3), Selected: true}
	want := []Source{
		{Source: "right", Steps: 2, Share: 0.5, Support: 0.5, Without: &withoutRight},
		{Source: names[0], Number: new(int), Steps: 1, Share: 0.25, Without: &without0},
		{Source: names[2], Number: &two, Steps: 1, Share: 0.25, Support: 0.5, Without: &without2},
	}
	if d := cmp.Diff(want, r.Sources, within...); d != "" {
		t.Error(d)
	}
	// The last step, (−1,−1), follows option 2; without it there are (1,0) twice and
	// (−1,1): (3 −1; −1 1), which is option 0's with the other sign.
	want = []Source{
		// of (1,0), (−1,−1)
		{Steps: 2, Share: 0.5, Support: 0.5, Without: &Ablation{Cosine: cos(1 / phi), J: 1, Sigma: phi}},
		{Source: names[0], Number: new(int), Steps: 1, Share: 0.25, Support: 0.5, Without: &without2},
		{Source: names[2], Number: &two, Steps: 1, Share: 0.25, Without: &without0},
	}
	if d := cmp.Diff(want, r.After, within...); d != "" {
		t.Error(d)
	}
	ancestors := []Ancestor{
		{Option: names[0], Depth: 1, Share: 0.25, Influence: 0.25},
		{Option: names[2], Number: 2, Depth: 1, Share: 0.25, Influence: 0.25},
	}
	if d := cmp.Diff(ancestors, r.Ancestors, within...); d != "" {
		t.Error(d)
	}
}

// TestWarnings says what the data do not determine.
func TestWarnings(t *testing.T) {
	turns := func(run *recorded.Records) string {
		return strings.Join(asked(t, run, 0, 2, 1).Purpose.Warnings, "; ")
	}
	for name, c := range map[string]struct {
		change func(*schema.Spec)
		want   string
	}{
		"nothing to warn of": {func(*schema.Spec) {}, ""},
		"a row of V": {
			func(s *schema.Spec) { s.Basis = schema.RowsOfV }, "order of the features and on the signs",
		},
		"close to κ": {func(s *schema.Spec) { s.Kappa = 1.99 }, "exceeds κ by less than 1 %"},
	} {
		if got := turns(circles(t, c.change)); !strings.Contains(got, c.want) || (got == "") != (c.want == "") {
			t.Errorf("%s: %q", name, got)
		}
	}
	// 2 rows (±1,0), 60 rows ±(−1,1) and 60 rows ±(1,1): σ² is 122 and 120, which is
	// 0.8 % apart.
	p := (&pen{bits: 2}).act(schema.Primitive, "+"+strings.Repeat("+-", 30)+"-"+strings.Repeat("-+", 30))
	run := handmade(t, filepath.Join(t.TempDir(), "podtrack.db"), small(2, 0), [][]schema.Transitions{p.chunks})
	r := asked(t, run, 0, 1, 1)
	if got := fmt.Sprint(r.Purpose.Warnings); !near(r.Purpose.Sigma, math.Sqrt(122), 1e-12) ||
		!strings.Contains(got, "within 1 %") {
		t.Errorf("σ %v: %s", r.Purpose.Sigma, got)
	}
}
