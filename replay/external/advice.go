package external

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceCrashed      schema.Advice = "fix the program"
	AdviceProtocol     schema.Advice = "follow the protocol in PROTOCOL.md"
	AdviceGym          schema.Advice = "change the name or the options of the environment"
	AdvicePython       schema.Advice = "install Python with gymnasium, or name one that has it"
	AdviceReported     schema.Advice = "fix what the program reports, or the program"
	AdviceStages       schema.Advice = "follow the protocol in STAGES.md"
	AdviceStageTimeout schema.Advice = "allow more time for an answer of a stage"
	AdviceTimeout      schema.Advice = "allow more time for an answer"
)

// adviceOfStages returns the advice for the program of a stage where that for an environment is the given one.
func adviceOfStages(advice schema.Advice) schema.Advice {
	if advice == AdviceTimeout {
		return AdviceStageTimeout
	}
	return AdviceStages
}
