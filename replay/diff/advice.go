package diff

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceOneEnv        schema.Advice = "compare runs of one environment, or the measures of groups"
	AdviceOneHot        schema.Advice = "compare runs of a one-hot grid, or the measures of groups"
	AdvicePurposesAlone schema.Advice = "compare the purposes alone"
)
