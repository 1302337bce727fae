package schema

// A Level is how much is known of a stage's records.
type Level string

// The levels, the highest first.
const (
	Recomputed Level = "recomputed" // executed again from its recorded inputs, with the same bits
	Verified   Level = "verified"   // not executed again; what its records must fulfil holds
	Claimed    Level = "claimed"    // nothing but its records says so; their bytes and the chain hold
)

// Levels returns the levels, the highest first.
func Levels() []Level { return []Level{Recomputed, Verified, Claimed} }

// LevelWithout returns the level of the records of a stage, one of [ExternalStages], where no program but podtrack
// executes it again: [Verified] or [Claimed] for an external stage, and for the steps in an external environment;
// otherwise [Recomputed].
func (s Spec) LevelWithout(stage string) Level {
	switch {
	case stage == CollectStage && s.Env.External != nil:
		return Claimed // nothing ties the transitions of an environment that nothing is known of
	case s.Stages.Of(stage) == nil:
		return Recomputed
	case stage == SelectStage, stage == MeasureStage:
		return Claimed // nor the decisions, nor what something else measured
	}
	return Verified
}
