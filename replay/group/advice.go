package group

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceCoverage      schema.Advice = "show coverage instead"
	AdviceFewerMeasures schema.Advice = "begin again; fewer measures take less time"
	AdviceOtherPairing  schema.Advice = "pair by a field whose values both groups have, or do not pair"
	AdviceResumeRuns    schema.Advice = "resume the runs"
)
