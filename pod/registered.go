package pod

import "github.com/podtrack/podtrack/schema"

// envs are the environments of this program, in the order in which help lists them. [RegisterEnv]
// adds others.
var envs = registerEnvs()

// What computes the selections and learners that package schema has registered under the same
// names and versions.
var (
	selections = registerSelections()
	learners   = registerLearners()
)

func registerEnvs() *schema.Registry[RegisteredEnv] {
	r := schema.NewRegistry[RegisteredEnv]("environment")
	for _, b := range []RegisteredEnv{ringBuiltin, gridBuiltin, taxiBuiltin, rowsBuiltin} {
		r.Register(b.Name, b.Version, b)
	}
	return r
}

func registerSelections() *schema.Registry[selectionEntry] {
	r := schema.NewRegistry[selectionEntry]("selection")
	threshold := (*directionSelector).applyThreshold
	r.Register(string(schema.BySigma), 1, selectionEntry{lead: threshold})
	r.Register(string(schema.BySquare), 1, selectionEntry{lead: threshold, statistic: squareOf, limit: limitOfSquare})
	r.Register(string(schema.ByRMS), 1, selectionEntry{lead: threshold, statistic: meanOf, limit: limitOfMean})
	r.Register(string(schema.ByRank), 1, selectionEntry{lead: (*directionSelector).keepFirst})
	r.Register(string(schema.ByEnergy), 1, selectionEntry{lead: (*directionSelector).keepShare})
	r.Register(string(schema.BySample), 1, selectionEntry{lead: threshold, narrow: (*directionSelector).sampleKept})
	r.Register(string(schema.ByNovelty), 1, selectionEntry{lead: threshold, narrow: (*directionSelector).rejectKnown})
	r.Register(string(schema.Below), 1, selectionEntry{lead: (*directionSelector).keepSmall})
	r.Register(string(schema.ByProgram), 2, selectionEntry{lead: (*directionSelector).keepNone})
	return r
}

// learnerEntry is what computes a learner.
type learnerEntry struct {
	build func(env Env, spec schema.Spec, seen Experience) (OptionLearner, error)

	// check returns an error if the learner, whose model is known if it needs one, cannot
	// learn in env; nil if it always can.
	check func(env Env, spec schema.Spec) error

	memory          func(states, actions, dims int64) int64 // in bytes, beside the tables of states; nil for none
	needsFirstChunk bool

	// seen returns the memory for what it learns from, in bytes; nil for none.
	seen func(env Env, transitions TransitionCounts) int64
}

func registerLearners() *schema.Registry[learnerEntry] {
	r := schema.NewRegistry[learnerEntry]("learner")
	r.Register(string(schema.Sweeps), 1, learnerEntry{build: buildModelLearner})
	r.Register(string(schema.Exact), 1, learnerEntry{
		build: buildModelLearner, check: checkDeterministic,
		memory: func(states, _, _ int64) int64 { return states * labelsBytes },
	})
	r.Register(string(schema.Empirical), 1, learnerEntry{build: newEmpirical})
	r.Register(string(schema.LSPI), 1, learnerEntry{build: newLSPI, check: checkWeights, memory: lspiBytes,
		seen: estimateLSPIMemory})
	r.Register(string(schema.QLearning), 1, learnerEntry{build: newQLearning, check: checkWeights, needsFirstChunk: true,
		seen: estimateTermMemory})
	r.Register(string(schema.ExternalLearner), 2, learnerEntry{build: buildExternalLearner,
		check: checkExternalLearner, memory: externalLearnerBytes})
	return r
}
