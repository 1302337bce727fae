package pod

import "github.com/podtrack/podtrack/schema"

// Advice of this package's errors.
const (
	AdviceDeclaration      schema.Advice = "change what the program declares"
	AdviceEnvNames         schema.Advice = "name a built-in environment"
	AdviceEnvParameters    schema.Advice = "give the environment's parameters"
	AdviceExpectingLearner schema.Advice = "use a learner that takes expectations"
	AdviceFewerOptions     schema.Advice = "take fewer options, or do not compute the diffusion time"
	AdviceFewerVisits      schema.Advice = "visit fewer states in what is factored"
	AdviceFewerWeights     schema.Advice = "use a learner without weights"
	AdviceGiveStage        schema.Advice = "give the external stage"
	AdviceMap              schema.Advice = "name a built-in map, or give the text of one"
	AdviceNoDiffusion      schema.Advice = "do not compute the diffusion time: not every state leads to every other one"
	AdviceNoMethod         schema.Advice = "name no method: a recorded D is factored as it is"
	AdviceObservingLearner schema.Advice = "use a learner that learns from what was observed"
	AdviceRegisterEnv      schema.Advice = "use the Go program that registers the environment"
	AdviceScaleFeatures    schema.Advice = "scale the features, or use a learner without weights"
	AdviceSmallerEnv       schema.Advice = "evaluate a smaller environment, or do not compute the diffusion time"
	AdviceVisitedStates    schema.Advice = "factor a matrix over the visited states alone"
	AdviceSolvable         schema.Advice = "use a learner that solves no linear system, or another gamma"
)
