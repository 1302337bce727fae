package evaluate

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceChoose         schema.Advice = "choose one of the run's evaluations"
	AdviceEvaluate       schema.Advice = "evaluate the run first"
	AdviceEvaluateMany   schema.Advice = "evaluate the run for many tasks first"
	AdviceRecordRewards  schema.Advice = "record the environment's rewards in another run"
	AdviceLimitEpisodes  schema.Advice = "limit the steps of an episode"
	AdviceOtherIteration schema.Advice = "choose an iteration with options; a smaller kappa makes more"
)
