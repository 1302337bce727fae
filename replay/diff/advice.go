package diff

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceListOptions    schema.Advice = "list the options"
	AdviceMoreIterations schema.Advice = "resume the run for more iterations"
	AdviceOneEnv         schema.Advice = "compare runs of one environment, or the measures of groups"
	AdviceOneHot         schema.Advice = "compare runs of a one-hot grid, or the measures of groups"
	AdviceReplay         schema.Advice = "replay the run to see which records are still valid"
	AdvicePurposesAlone  schema.Advice = "compare the purposes alone"
)
