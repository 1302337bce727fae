package pod

import "github.com/podtrack/podtrack/schema"

// envs are the environments of this program, in the order in which help lists them. [RegisterEnv]
// adds others.
var envs = registerEnvs()

// What computes the selections and learners that package schema has registered under the same
// names.
var (
	selections = registerSelections()
	learners   = registerLearners()
)

func registerEnvs() *schema.Registry[RegisteredEnv] {
	r := schema.NewRegistry[RegisteredEnv]("environment")
	for _, b := range []RegisteredEnv{ringBuiltin, gridBuiltin, taxiBuiltin, rowsBuiltin} {
		r.Add(b.Name, b.Version, b)
	}
	return r
}

func registerSelections() *schema.Registry[selectionEntry] {
	r := schema.NewRegistry[selectionEntry]("selection")
	threshold := (*directionSelector).applyThreshold
	r.Register(string(schema.BySigma), selectionEntry{lead: threshold})
	r.Register(string(schema.BySquare), selectionEntry{lead: threshold, statistic: squareOf, limit: limitOfSquare})
	r.Register(string(schema.ByRMS), selectionEntry{lead: threshold, statistic: meanOf, limit: limitOfMean})
	r.Register(string(schema.ByRank), selectionEntry{lead: (*directionSelector).keepFirst})
	r.Register(string(schema.ByEnergy), selectionEntry{lead: (*directionSelector).keepShare})
	r.Register(string(schema.BySample), selectionEntry{lead: threshold, narrow: (*directionSelector).sampleKept})
	r.Register(string(schema.ByNovelty), selectionEntry{lead: threshold, narrow: (*directionSelector).rejectKnown})
	r.Register(string(schema.Below), selectionEntry{lead: (*directionSelector).keepSmall})
	r.Register(string(schema.ByProgram), selectionEntry{lead: (*directionSelector).keepNone})
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
	r.Register(string(schema.Sweeps), learnerEntry{build: buildModelLearner})
	r.Register(string(schema.Exact), learnerEntry{
		build: buildModelLearner, check: checkDeterministic,
		memory: func(states, _, _ int64) int64 { return states * labelsBytes },
	})
	r.Register(string(schema.Empirical), learnerEntry{build: newEmpirical})
	r.Register(string(schema.LSPI), learnerEntry{build: newLSPI, check: checkWeights, memory: lspiBytes,
		seen: estimateLSPIMemory})
	r.Register(string(schema.QLearning), learnerEntry{build: newQLearning, check: checkWeights, needsFirstChunk: true,
		seen: estimateTermMemory})
	r.Register(string(schema.ExternalLearner), learnerEntry{build: buildExternalLearner,
		check: checkExternalLearner, memory: externalLearnerBytes})
	return r
}
