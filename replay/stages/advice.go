package stages

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceEnvLauncher schema.Advice = "give the external environment"
	AdviceImportFirst schema.Advice = "import the run's data first"
	AdviceRepeatable  schema.Advice = "test the environment: nothing was changed; it must draw all randomness from " +
		"the seed of its reset"
)
