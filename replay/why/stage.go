package why

// Stage is a part of an audit. The parts are known one after the other.
type Stage int

// The stages of an audit, in their order.
const (
	StagePurpose   Stage = iota // the option, its purpose, the data, and the rows of most weight
	StageSources                // what was executing in the steps, and when every row was first seen
	StageAncestors              // the earlier options that led there
	StageActs                   // where the option acts, and what it does in a state
	StageChain                  // the verification of the records, from the data to the head
)

// Stages is the number of stages.
const Stages = int(StageChain) + 1

// String returns what is done in a stage.
func (s Stage) String() string {
	return [Stages]string{"reading the purpose", "counting the steps", "following the ancestors",
		"reading the option", "verifying the records"}[s]
}
