package why

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceNoState         schema.Advice = "name no state"
	AdviceReplayIteration schema.Advice = "replay the iteration, which compares its matrix, purposes and options " +
		"with the recorded steps"
)
