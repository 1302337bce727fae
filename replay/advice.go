package replay

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceChangedCode schema.Advice = "raise the version that the program declares, or say that its results " +
		"stay the same"
	AdviceImport   schema.Advice = "import data: the environment has no actions"
	AdviceListRuns schema.Advice = "list the runs"
)
