package why

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceListRejected    schema.Advice = "list the options, and why others were rejected"
	AdviceNoState         schema.Advice = "name no state"
	AdviceReplayIteration schema.Advice = "replay the iteration, which compares its matrix, purposes and options " +
		"with the recorded steps"
	AdviceReplayRun schema.Advice = "replay the run to see which of its records are still valid"
)
