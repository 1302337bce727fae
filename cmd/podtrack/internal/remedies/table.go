package remedies

import (
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// table has the words of each advice, as a format of its values.
var table = map[schema.Advice]string{
	schema.AdviceImportData: "podtrack import makes a run of data recorded elsewhere",
	schema.AdvicePrintSpec:  "podtrack show --spec RUN prints a spec",

	pod.AdviceDeclaration:      "change what it answers to hello; podtrack env check tries it out",
	pod.AdviceEnvNames:         "the environments are %v, and those in another process; podtrack env describes them",
	pod.AdviceEnvParameters:    "podtrack env lists its parameters",
	pod.AdviceExpectingLearner: "use --learner %s, which takes expectations",
	pod.AdviceFewerOptions:     "take fewer options, or leave --diffusion out",
	pod.AdviceFewerUnknowns:    "it solves for %d at most, (features + 1) × actions; use --learner %s or %s",
	pod.AdviceFewerWeights:     "it learns %d at most, (features + 1) × actions; use --learner %s",
	pod.AdviceMap:              "the maps are %v; --env grid:FILE takes one of your own",
	pod.AdviceNoDiffusion: "a diffusion time is defined where every state leads to every other one; " +
		"leave --diffusion out",
	pod.AdviceNoMethod:         "leave --method out: a recorded D is factored as it is",
	pod.AdviceObservingLearner: "use --learner %s, which learns from what was observed",
	pod.AdviceScaleFeatures:    "scale the features, or use --learner %s",
	pod.AdviceSmallerEnv:       "evaluate a smaller environment, or leave --diffusion out",
	pod.AdviceSolvable:         "use --learner %s or %s, or another gamma",
}
