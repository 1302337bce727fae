package report

import (
	"math"
	"testing"

	"github.com/podtrack/podtrack/replay"
)

// TestFraction: the costs of the stages decide how much of an iteration is done; without costs it is
// a typical share.
func TestFraction(t *testing.T) {
	costs := stageCosts{replay.StageCollect: 6, replay.StageFactor: 1, replay.StageLearn: 3}
	for _, c := range []struct {
		costs stageCosts
		at    *Position
		want  float64
	}{
		{costs, nil, 0},
		{nil, nil, 0},
		{costs, &Position{Stage: replay.StageCollect, Part: 50, Parts: 100}, 0.3},
		{costs, &Position{Stage: replay.StageFactor}, 0.6},
		{costs, &Position{Stage: replay.StageLearn, Part: 2, Parts: 3}, 0.9},
		{costs, &Position{Stage: replay.StageMeasure}, 1},
		{costs, &Position{Stage: replay.StageMeasure, Part: 9, Parts: 1}, 1},
		{costs, &Position{Stage: "of a later version", Part: 1, Parts: 2}, 0},
		{nil, &Position{Stage: replay.StageCollect, Part: 50, Parts: 100}, 0.15},
		{nil, &Position{Stage: replay.StageLearn, Part: 3, Parts: 3}, 1},
	} {
		if got := c.costs.fraction(c.at); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v at %+v: %v, want %v", c.costs, c.at, got, c.want)
		}
	}
}
