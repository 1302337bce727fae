// Package pod implements Purposeful Option Discovery, Algorithm 1 of Machado & Bowling,
// "Learning Purposeful Behaviour in the Absence of Rewards" (2016), as pure
// functions. It knows nothing of storage, processes or clocks.
//
// [PaperSpec] is the paper's experiment, and [NewSpec] that in another environment. Environments, and how to bring
// one's own, are in package envs. A stage of Algorithm 1 can be a function of one's own: a [CollectFunc], [MethodFunc],
// [SelectFunc], [LearnFunc] or [MeasureFunc], of which package replay's StageSet is made.
//
// # Algorithm 1
//
// The packages below this one are its steps. Data flows one way, a stage at a time, in each iteration k:
//
//  1. collect: in one of the environments of package envs a [collect.Collector] acts for n_R steps with the primitive
//     actions and the options of earlier iterations, and returns [schema.Transitions].
//  2. factor: [collect.TransitionStats] counts the distinct rows of D in a [linalg.Dataset]. A method may have a matrix
//     in place of them, from package matrix: [NewEnvForSpec] returns the environment as the method sees it.
//     [linalg.Factor] returns the singular value decomposition.
//  3. select: [selection.SelectPurposes] keeps the directions with σ > κ, with both signs; [selection.SelectDirections]
//     decides by other rules.
//  4. learn: a [learn.OptionLearner] learns for each purpose values or weights, and an option with a certificate: by
//     value iteration with a terminate action where the model is known, or from [learn.Experience].
//  5. measure: [collect.TransitionStats.Measures] summarises the iteration.
//
// Apart from that, package task measures what options are worth, in tasks and models that packages envs and experience
// have. Packages rng and linalg are what all of them draw and compute with.
//
// # Rules for whatever feeds a digest
//
//   - + − × ÷ √ only, in a fixed order, every product rounded by an explicit
//     float64(x*y), so that no compiler fuses it with an addition.
//   - Randomness comes from [rng.Stream] alone, which depends only on the seed, the
//     iteration and the purpose of the stream.
//   - No result depends on the order of a map, on parallelism or on batching.
package pod
