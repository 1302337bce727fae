package diff

import (
	"slices"

	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

// StageLevels is how much two heads prove of a stage. A level is empty where a run does not record the stage.
type StageLevels struct {
	Stage string       `json:"stage"`
	A     schema.Level `json:"a"`
	B     schema.Level `json:"b"`
}

// pairLevels returns the levels of the stages that are not recomputed, without other programs, in one of two runs.
func pairLevels(a, b []replay.StageLevel) (pairs []StageLevels) {
	of := func(levels []replay.StageLevel, stage string) schema.Level {
		i := slices.IndexFunc(levels, func(l replay.StageLevel) bool { return l.Stage == stage })
		if i < 0 {
			return ""
		}
		return levels[i].Level
	}
	for _, stage := range replay.Stages {
		pair := StageLevels{Stage: stage, A: of(a, stage), B: of(b, stage)}
		for _, level := range []schema.Level{schema.Verified, schema.Claimed} {
			if pair.A == level || pair.B == level {
				pairs = append(pairs, pair)
				break
			}
		}
	}
	return pairs
}
