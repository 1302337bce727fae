package replay

import "github.com/podtrack/podtrack/schema"

// The stages of an iteration, as events and costs name them.
const (
	StageCollect = "collect"
	StageFactor  = "factor"
	StageSelect  = "select"
	StageLearn   = "learn"
	StageMeasure = "measure"
)

// Stages lists the stages in the order of execution.
var Stages = []string{StageCollect, StageFactor, StageSelect, StageLearn, StageMeasure}

// StageKinds maps a stage to the kinds of records that it makes. Selecting by σ > κ makes none.
var StageKinds = map[string][]schema.Kind{
	StageCollect: {schema.KindObservations, schema.KindTransitions, schema.KindRewards, schema.KindRows},
	StageFactor:  {schema.KindFactors},
	StageSelect:  {schema.KindSelection},
	StageLearn:   {schema.KindValue, schema.KindTheta, schema.KindOption},
	StageMeasure: {schema.KindMeasures, schema.KindExternalMeasures},
}

// shareOfStage is where a stage begins and ends within an iteration of typical cost.
var shareOfStage = map[string][2]float64{
	StageCollect: {0, 0.3}, StageFactor: {0.3, 0.35}, StageSelect: {0.35, 0.35}, StageLearn: {0.35, 1},
	StageMeasure: {1, 1},
}

// FractionOfIteration returns about which fraction of an iteration's work is done when done of total
// parts of a stage are.
func FractionOfIteration(stage string, done, total int64) float64 {
	span := shareOfStage[stage]
	return span[0] + (span[1]-span[0])*float64(min(done, total))/float64(max(total, 1))
}
