package recorded

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceMoreIterations schema.Advice = "resume the run for more iterations"
	AdviceReplay         schema.Advice = "replay the run to see which records are still valid"
)
