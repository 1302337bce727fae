package report

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceOptionRef  schema.Advice = "write RUN:K/J+ or RUN:K/J-, J counted from 1"
	AdvicePattern    schema.Advice = "use the names of runs; ? stands for any character"
	AdviceSimilar    schema.Advice = "there is a similar name"
	AdviceSelectRuns schema.Advice = "select runs that are in the store"
)
