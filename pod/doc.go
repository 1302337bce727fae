// Package pod is Purposeful Option Discovery, Algorithm 1 of Machado & Bowling,
// "Learning Purposeful Behaviour in the Absence of Rewards" (2016), as pure
// functions. It knows nothing of storage, processes or clocks.
//
// Data flows one way, a stage at a time, in each iteration k:
//
//  1. collect: a [Collector] acts for n_R steps with the primitive actions and
//     the options of earlier iterations, and yields [schema.Transitions]. Of an
//     environment in another process it knows what it has seen, and no more: external.go,
//     declared.go what such a one may say of itself.
//  2. factor: a [TransitionStats] walks those transitions and counts the distinct rows of
//     D in a [Dataset], or is given them where D was recorded elsewhere ([RowsEnv]);
//     [Factor] takes its singular value decomposition.
//     For a method on states, [NewEnvForSpec] sees the environment as one with a feature a
//     state (tabular.go), and what the tally hands on is a matrix over them: 2I − L of
//     the observed graph (laplacian.go), or the successor representation (successor.go).
//  3. select: [SelectPurposes] keeps the directions with σ > κ, both signs; by another rule
//     [SelectDirections] judges them, and [SelectedPurposes] are those that it kept. [Similarity] is how
//     alike purposes are.
//  4. learn: a [ModelLearner] turns each purpose into a value table by value iteration
//     with a terminate action, and into an option with a certificate. model.go has
//     the graph in blocks of 64 states, sweeps.go the sweeps over what can change,
//     backup.go a block's backup (by vectors in backup_amd64.s, of which it is the
//     oracle), exact.go the fixed point without sweeps, policy.go and paths.go what
//     becomes of the values. A [OptionLearner] is that, or a learner which knows no model but
//     the [Experience] of a tally: experience.go has what those share, empirical.go
//     sweeps on the counted moves; linear.go, lspi.go and qlearning.go learn weights of
//     features, solve.go solves for them.
//  5. measure: [TransitionStats.Measures] sums the iteration up.
//
// Beside that, an [ActionSet] is looked at for what it is worth: [ComputeDiffusion] solves how
// long a random walk over it takes from state to state, [SimulateCover] simulates one that
// visits all of them, and [Train] learns a [Task] with it.
//
// # Rules for whatever feeds a digest
//
//   - + − × ÷ √ only, in a fixed order, every product rounded by an explicit
//     float64(x*y), so that no compiler fuses it with an addition.
//   - Randomness comes from [Stream] alone, which depends on the seed, the
//     iteration and the purpose of the stream, and on nothing else.
//   - No result depends on the order of a map, on parallelism or on batching.
package pod
