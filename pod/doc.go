// Package pod implements Purposeful Option Discovery, Algorithm 1 of Machado & Bowling,
// "Learning Purposeful Behaviour in the Absence of Rewards" (2016), as pure
// functions. It knows nothing of storage, processes or clocks.
//
// Data flows one way, a stage at a time, in each iteration k:
//
//  1. collect: a [collect.Collector] acts for n_R steps with the primitive actions and the
//     options of earlier iterations and returns [schema.Transitions]. A stochastic,
//     episodic or external environment is a [envs.RunningEnv] meanwhile. An [envs.External] one
//     is known only by its [envs.ObservedStates]. capabilities.go has the interfaces of what
//     an environment may know of itself, which [envs.As] asks for.
//  2. factor: [collect.TransitionStats] processes those transitions and counts the distinct
//     rows of D in a [linalg.Dataset], or is given them if D was recorded elsewhere
//     (rows_env.go). [linalg.Factor] returns its singular value decomposition. For a method on
//     states, [NewEnvForSpec] returns an environment with one feature for each state
//     (tabular.go), and D is a matrix over states: 2I − L of the observed graph
//     (laplacian.go), or the successor representation (successor.go).
//  3. select: [selection.SelectPurposes] keeps the directions with σ > κ, with both signs. For
//     other rules, and where one sign is followed, [selection.SelectDirections] decides about each
//     direction, and [selection.SelectedPurposes] returns the purposes of those kept. [selection.Directions]
//     has their vectors; feature_scale.go scales them back to the features. [selection.Similarity] compares
//     purposes.
//  4. learn: a [learn.ModelLearner] learns for each purpose a value table, by value iteration
//     with a terminate action, and an option with a certificate. model.go has the graph
//     in blocks of 64 states, value_iteration.go the sweeps over the states that can
//     change (expected_sweeps.go those of a stochastic model), backup.go the backup of
//     lines of eight states (backup_amd64.s is its vectorised form),
//     label_setting.go the fixed point without sweeps, greedy_policy.go and
//     policy_paths.go what follows from the values. An [learn.OptionLearner] is a ModelLearner
//     or a learner from the [learn.Experience] of TransitionStats: experience.go has what
//     those share, empirical.go sweeps on the model that the transitions make,
//     linear.go, lspi.go and qlearning.go learn weights of features.
//  5. measure: [collect.TransitionStats.Measures] summarises the iteration.
//
// Apart from that, an [task.ActionSet] is evaluated: [task.ComputeDiffusion] returns its
// diffusion time, [task.SimulateCover] simulates its cover time, and [task.Train] learns a [task.Task]
// with it.
//
// # Rules for whatever feeds a digest
//
//   - + − × ÷ √ only, in a fixed order, every product rounded by an explicit
//     float64(x*y), so that no compiler fuses it with an addition.
//   - Randomness comes from [rng.Stream] alone, which depends only on the seed, the
//     iteration and the purpose of the stream.
//   - No result depends on the order of a map, on parallelism or on batching.
package pod
