package hints

import (
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/matrix"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/replay/importer"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// table has, for each format that tells no command, a format of the same values that does.
var table = map[string]string{
	schema.AdviceChoose:     "%s",
	schema.AdviceImportData: "podtrack import makes a run of data recorded elsewhere",
	schema.AdvicePrintSpec:  "podtrack show --spec RUN prints a spec",

	envs.AdviceDeclaration:  "change what it answers to hello; podtrack run check tries it out",
	envs.AdviceFewerActions: "declare those that matter; podtrack run check tries it out",
	envs.AdviceFewerFeatures: "tell observations apart by binary features, such as those of their decimal digits, 10 " +
		"for each; podtrack run check tries it out",
	envs.AdviceEnvOfMap:          "write --env grid:%s",
	envs.AdviceEnvNames:          "%s; gym:NAME is one of Gymnasium, exec:CMD a program; podtrack env describes them",
	envs.AdviceEnvParameters:     "podtrack env lists its parameters",
	learn.AdviceExpectingLearner: "use --learner %s, which takes expectations",
	task.AdviceFewerOptions:      "take fewer options, or leave --diffusion out",
	matrix.AdviceFewerVisits: "a matrix is over %d states at most: use fewer --steps, --dataset iteration, or a method " +
		"on features",
	matrix.AdviceTop: "all directions are computed for up to %d states, the first K alone for more: use --select top=K, " +
		"with basis right-singular or random",
	matrix.AdviceTopOrVisited: "its matrix has a row and a column for each state; all directions are computed of " +
		"at most %d: use --set state_set=visited, by which these are the states that were visited, or --select top=K, with " +
		"basis right-singular or random, for the first K alone",
	matrix.AdviceFewerDirections: "of %d directions it is over %d states at most: use a smaller K of --select top=K",
	pod.AdviceVisitedStates: "its matrix has a row and a column for each state, of at most %d: use " +
		"--set state_set=visited, by which these are the states that were visited, or --method %s",
	learn.AdviceFewerWeights: "it learns %d at most, (features + 1) × actions; use --learner %s",
	envs.AdviceMap:           "the maps are %s; --env grid:FILE takes one of your own",
	task.AdviceNoDiffusion: "a diffusion time is defined where every state leads to every other one; " +
		"leave --diffusion out",
	pod.AdviceNoMethod:           "leave --method out: a recorded D is factored as it is",
	learn.AdviceObservingLearner: "use --learner %s, which learns from what was observed",
	envs.AdviceRegisterEnv: "%s is an environment of a Go program, which registers it: use that program; podtrack " +
		"help go",
	learn.AdviceScaleFeatures: "scale the features, or use --learner %s",
	task.AdviceSmallerEnv:     "evaluate a smaller environment, or leave --diffusion out",
	learn.AdviceSolvable:      "use --learner %s or %s, or another gamma",

	tracker.AdviceCheck:        "podtrack check shows what is damaged, and how to repair it",
	tracker.AdviceCheckRecords: "podtrack check --read-data --store %+q lists what is damaged, podtrack repair repairs it",
	tracker.AdviceOtherName:    "choose another name; podtrack label %q --unname takes this one from the run that has it",
	tracker.AdviceRename: "one spec is one run: for another one give another --seed, or change a parameter; podtrack " +
		"label %q --name %q renames this one",
	tracker.AdviceMerge: "podtrack merge %+q --store NEW copies all runs into a new store, without what was " +
		"removed",
	tracker.AdviceSearch:    "podtrack ls lists the runs, and podtrack ls about~%q those that have the word",
	tracker.AdviceMissing:   "podtrack ls lists the runs",
	tracker.AdviceNoStudy:   "this store has no study: podtrack sweep FILE.toml makes the runs of one",
	tracker.AdviceNoStore:   "podtrack run makes one; --store or PODTRACK_STORE say where it is",
	tracker.AdviceOtherFile: "choose another file, or replace it with --force",
	tracker.AdviceRepair: "if podtrack made it, podtrack repair --store %q saves what can be read; nothing in " +
		"this file was changed",
	tracker.AdviceRestore:    "podtrack repair --pruned RUN brings it back",
	tracker.AdviceRestoreRun: "podtrack repair --pruned %q brings it back",
	tracker.AdviceWait: "try again when the other process is done with it, or wait for it longer: " +
		"PODTRACK_WAIT=5m",

	replay.AdviceChangedCode: "raise the version that it declares, which makes another run; if it does what it did " +
		"before, go on with --changed-code",
	replay.AdviceChangedEnv: "continue run %s with what it was made with; or go on with the program as it is, as " +
		"another run that shares the iterations: podtrack fork %[1]s:%d --changed-code",
	replay.AdviceChangedSteps: "continue run %s with what it was made with; or go on as another run that shares the " +
		"iterations: podtrack fork %[1]s:%d --set seed=N",
	replay.AdviceChangedNew:   "continue it with what it was made with, or make another run, with --seed N",
	stages.AdviceEnvLauncher:  "add --env exec:CMD or --env gym:NAME, as for podtrack run",
	pod.AdviceGiveStage:       "add --%s exec:CMD, the program that it was made with",
	schema.AdviceStageProgram: "name a program: --%s exec:CMD",
	schema.AdviceStageNames:   "use %s, or exec:CMD, a program of yours",

	replay.AdviceForkNewRun:       "the shared iterations depend on it; start a new run with podtrack run",
	replay.AdviceForkRange:        "it has %d iterations, the largest K of RUN:K",
	replay.AdviceForkSame:         "podtrack resume %q --iterations N continues the run itself",
	replay.AdviceImport:           "it has no actions; podtrack import --npz FILE makes a run of its data",
	stages.AdviceImportFirst:      "import them first: podtrack import --npz FILE --spec SPEC, with this run's spec",
	replay.AdviceListRuns:         "podtrack ls lists the runs",
	recorded.AdviceMoreIterations: "it has %d, counted from 0; podtrack resume %q --iterations %d continues it",
	stages.AdviceRepeatable: "nothing was changed; podtrack run check tests the environment, which must draw all " +
		"randomness from " +
		"the seed of its reset; after a fix, start another run with --seed",
	recorded.AdviceReplay: "podtrack replay %q shows which records are still valid; a run that is removed and run again " +
		"has the " +
		"same records",

	report.AdviceAskIteration: "write %q for the run; podtrack options %q --iteration %d lists the " +
		"iteration's options",
	report.AdviceAskOption:     "write %q for the run; podtrack why %q is about the option",
	report.AdviceChangeTerm:    "%s; podtrack ls lists the runs",
	report.AdviceListFilter:    "podtrack ls %q lists the runs that it finds; name one of them",
	report.AdviceListRejected:  "podtrack options %q lists them; --rejected shows why the others were rejected",
	report.AdviceNameIteration: "write %s:K with K counted from 0; podtrack show %q lists the iterations",
	report.AdviceNameOption:    "write %s:#N or %s:K/J+; podtrack options %q lists them",
	report.AdviceNoOptions:     "podtrack show %q has its eigenpurposes",
	report.AdviceOptionRange:   "podtrack options %q lists them with their numbers",
	report.AdvicePattern:       "podtrack ls shows the names of runs; ? stands for any character",
	report.AdviceRefForms: "write RUN:K with K counted from 0 for an iteration, RUN:#N or RUN:K/J+ for an option; " +
		"podtrack help references",
	report.AdviceMakeRun:        "podtrack run makes one",
	report.AdviceSelectRuns:     "podtrack ls lists the runs",
	report.AdviceSimilar:        "did you mean %s? podtrack ls lists the runs",
	report.AdviceWriteIteration: "iteration %d is %q; podtrack why %q is about the option",
	report.AdviceWriteOption:    "option %d is %q; podtrack options %q lists the options",

	diff.AdviceOneEnv: "compare runs of one environment; podtrack compare compares the measures of groups",
	diff.AdviceOneHot: "a one-hot grid has one feature per state and can be compared; podtrack compare compares the " +
		"measures of groups",
	diff.AdvicePurposesAlone: "--by purposes compares the purposes alone",

	why.AdviceReplayIteration: "podtrack replay %q:%d compares its matrix, its purposes and its options with the " +
		"recorded steps",

	evaluate.AdviceOtherIteration: "podtrack options %.7s lists them by iteration; a smaller kappa makes more",

	external.AdviceCrashed: "fix the program; podtrack run check tests it",
	external.AdviceGym:     "podtrack help gymnasium has the names, the options and the faults",
	external.AdviceProtocol: "podtrack run check tests the program; replay/external/PROTOCOL.md says what it " +
		"has to do",
	external.AdvicePython:   "install Python with gymnasium, or name one that has it in PODTRACK_PYTHON",
	external.AdviceReported: "fix what it reports, or the program; podtrack run check tests it",
	external.AdviceStages: "fix the program; podtrack run check tests it, podtrack help stages says what it " +
		"has to do",
	external.AdviceTimeout: "--timeout gives it longer",

	importer.AdvicePrefix: "choose them with --prefix: %s",
}
