package replay

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceChangedCode schema.Advice = "raise the version that the program declares, or say that its results " +
		"stay the same"
	AdviceEnvLauncher    schema.Advice = "give the external environment"
	AdviceImport         schema.Advice = "import data: the environment has no actions"
	AdviceImportFirst    schema.Advice = "import the run's data first"
	AdviceListRuns       schema.Advice = "list the runs"
	AdviceMoreIterations schema.Advice = "resume the run for more iterations"
	AdviceReplay         schema.Advice = "replay the run to see which records are still valid"
	AdviceRepeatable     schema.Advice = "test the environment: nothing was changed; it must draw all randomness from " +
		"the seed of its reset"
)
