package remedies

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

// TestEveryStageIsProved: whatever the levels of the stages, and whichever of them need programs, each stage is named.
func TestEveryStageIsProved(t *testing.T) {
	stages := []string{"collect", "factor", "select", "learn", "measure"}
	rapid.Check(t, func(t *rapid.T) {
		var levels []replay.StageLevel
		for _, stage := range stages {
			l := replay.StageLevel{Stage: stage, Level: rapid.SampledFrom(schema.Levels()).Draw(t, "level")}
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
