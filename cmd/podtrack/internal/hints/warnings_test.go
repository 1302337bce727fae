package hints

import (
	"strings"
	"testing"

	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/replay/warnings"
	"github.com/podtrack/podtrack/schema"

	"pgregory.net/rapid"
)

// TestWarningTexts: what depends on how many features or steps a warning is about.
func TestWarningTexts(t *testing.T) {
	x := func(name string) warnings.Feature { return warnings.Feature{Name: name, RMS: 0.0125} }
	direction := &warnings.Direction{Symbol: "σ", Largest: 6.1234, Kappa: 1}
	const rest = " Root mean squares of a step: "
	const largest = ". The largest σ of all directions is 6.12."
	for want, f := range map[string]warnings.Warning{
		"x0 hardly changes beside the others: with κ 1 no purpose is about it alone." + rest + "x0 0.013" + largest: {
			Kind: warnings.SmallFeatures, Direction: direction, Features: []warnings.Feature{x("x0")}},
		"x0, x1 and x2 hardly change beside the others: with κ 1 no purpose is about them alone." + rest +
			"x0 0.013, x1 0.013, x2 0.013" + largest: {
			Kind: warnings.SmallFeatures, Direction: direction, Features: []warnings.Feature{x("x0"), x("x1"), x("x2")}},
		"Most steps are of options that do not end: of 9 calls, 1 ended in a state in which the option terminates, 8 after " +
			"max_option_steps (50), 0 with an episode. Options take 80 % of the steps. The calls are those of the first " +
			"1048576 steps.": {
			Kind: warnings.NeverEnd, States: &warnings.States{Steps: 2 << 20, Visited: 5, Before: 5},
			Calls: &warnings.Calls{Calls: 9, Ended: 1, AtLimit: 8, Limit: 50, Share: 0.8, Steps: 1 << 20}},
	} {
		if got := warningText(f); got != want {
			t.Errorf("%s\nwant %s", got, want)
		}
	}
}

// TestEveryStageIsProved: whatever the levels of the stages, and whichever of them need programs, each stage is named.
func TestEveryStageIsProved(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var levels []stages.Level
		for _, stage := range []string{"collect", "factor", "select", "learn", "measure"} {
			l := stages.Level{Stage: stage, Level: rapid.SampledFrom(schema.Levels()).Draw(t, "level")}
			if rapid.Bool().Draw(t, "needs a program") {
				l.With, l.Needs = schema.Recomputed, schema.SelectStage
			}
			levels = append(levels, l)
		}
		text := ProvesText(levels)
		for _, l := range levels {
			if !strings.Contains(text, l.Stage) || !strings.Contains(text, string(l.Level)) {
				t.Fatalf("%+v: %q", l, text)
			}
		}
	})
}
