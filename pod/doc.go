// Package pod implements Purposeful Option Discovery, Algorithm 1 of Machado & Bowling,
// "Learning Purposeful Behaviour in the Absence of Rewards" (2016), as pure
// functions. It knows nothing of storage, processes or clocks.
//
// [PaperSpec] is the paper's experiment, and [NewSpec] that in another environment. An environment of one's own is a
// [Graph] if its transitions are known: [RegisterEnv] makes it known to the program under a name and version, and
// [CheckEnv] checks it. Otherwise it is a [Simulation]. A stage of Algorithm 1 can be a function of one's own: a
// [CollectFunc], [MethodFunc], [SelectFunc], [LearnFunc] or [MeasureFunc], of which package replay's StageSet is made.
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
//  3. select: [selection.SignedAbove] keeps the directions with σ > κ, with both signs; [selection.SelectDirections]
//     decides by other rules.
//  4. learn: a [learn.OptionLearner] learns for each purpose values or weights, and an option with a certificate: by
//     value iteration with a terminate action where the model is known, or from [learn.Experience].
//  5. measure: [collect.TransitionStats.Measures] summarises the iteration.
//
// Apart from that, package task measures what options are worth, in tasks and models that packages envs and experience
// have. Packages rng and linalg are what all of them draw and compute with.
//
// # How the paper is read
//
//   - Ring of B bits, h hidden: state = two's-complement integer; feature i is bit h + i, least significant first;
//     hidden bits are absent, d = B − h. Action 0 is left, 1 is right. The agent continues from one iteration into the
//     next without a reset.
//   - basis: right-singular (row j of Vᵀ, what an SVD means; default) or rows-of-v (row j of V, where V = DᵀUΣ⁺, so
//     columns of σ = 0 are zero); random draws as many directions as would be kept, near to uniform on the sphere, for
//     comparison; posterior draws one for each feature from N(0, (DᵀD + λI)⁻¹), λ being ridge. dataset: iteration (D
//     emptied each iteration, Algorithm 1; default) or cumulative.
//   - the reading as-written = right-singular + iteration. the reading as-published = rows-of-v + cumulative.
//     Simulation finds Table 1's means consistent with as-published and far from as-written (podtrack help table1).
//     The definitions name rows of Vᵀ; numpy returns Vᵀ under the name V, so V.T[j] is a row of V: a conjecture, not a
//     statement of the authors. Always say "consistent with". A row of V depends on feature order and signs, a
//     right-singular vector only on D.
//   - feature_scale: rms factors D' = D diag(1/rms), where rms has the root mean square of each feature's change over
//     the rows of D; a direction is scaled back, e_f = v'_f / rms_f, and to length 1. The record has D's rows as they
//     are, so that a cumulative D can be merged and rms follows from it, with Σ and V of D'. It can be forked, unlike
//     the method.
//   - initiation: observed closes the options of learners that are linear in the features: they terminate where the
//     state, or the action in it, was not observed, and in states that they would visit for ever by the observed
//     transitions. So their certificate is observed; it says closed, so that the weights extend them to no state that
//     becomes known later. ends, with method covering, lets an option start at the other end of its pair alone, as
//     Jinnai et al. (2019) do; where it acts and ends stays as it is.
//   - sides: published follows one sign of each direction, that with Σ e < 0, as the ROD cycle does. one follows that
//     which leads away from where the agent often was in the iteration: w is lower, on average over the visits, than
//     over the distinct states visited. The selection then is recorded, with the signs. purposes counts directions
//     either way.
//   - psi_passes and psi_part are the ROD cycle's: TD learns several times from an iteration's transitions, and the
//     symmetric part of Ψ is factored. Its singular values are magnitudes of eigenvalues; the first right singular
//     vector is the eigenvector of the largest eigenvalue, since Ψ has no negative entry.
//   - restart: iteration begins each iteration in the environment's first state.
//   - lifetime: iteration k's action set has the options of all earlier iterations (keep, default), of k
//     − 1 alone (replace) or of the last N (last=N). Numbers stay; available and novel=C count those in the set; a
//     resumed run loads no others. No call of an option continues in the next iteration, so replacing one ends no call.
//   - Sweeps are synchronous from v = 0: v'(s) = max(0, max_a [r(s,a) + γ v(s')]), the 0 being ⊥; q is one more backup
//     of the last v.
//   - Of the actions with the greatest q the lowest is taken, and ⊥ where no q exceeds the tolerance (default 1e-9,
//     and never under 4(2 + b)ε·max|w|/(1−γ), if an action leads to up to b states; an option whose I rests on less is
//     marked numerically null). w(s) = eᵀφ(s).
//   - A decision draws uniformly from the primitive actions, then the options whose I holds the state in option-number
//     order: one draw a decision. With option_probability p > 0 it draws among the available options with probability
//     p, if there are any, else among the actions (the ROD cycle, Machado et al. 2023; p = 0.05): up to two draws.
//     Evaluations and diffusion draw uniformly as ever. Exactly n_R steps; an option truncated by the end does not
//     continue. (Algorithm 1 as printed would count one step more per call.)
//   - behaviour: with zeta=Z or geometric=MEAN an action that was drawn is taken for several steps, whichever states it
//     leads to; the end of an episode or of the iteration ends it. Only actions persist: what an option does is its
//     policy's. A hold is no option and is not recorded; each of its steps is a transition under no option.
//   - Termination: with a known finite model and sweeps from 0, T is non-empty and is reached with probability 1 from
//     every other state, for any e and any number of sweeps (pod/learn/action_values.go has the proof). Each option
//     records termination: proved|observed|unknown, q's maximum at the state of largest w (≤ tolerance), the longest
//     path, and that no cycle exists; a failure under sweeps or exact is an error. Other learners have
//     max_option_steps.
//   - Measures per iteration: purposes = number of selected j (not doubled for the sign); option_length = mean
//     executed length over this iteration's option calls, truncated ones included (calls, truncated and reach, the
//     mean path length over I, beside it); distance = max_t dist(s₀, s_t) and final = dist(s₀, s_n) from the
//     iteration's (or episode's) first state, dist being unwrapped steps on a ring, shortest path on a grid, declared
//     or null elsewhere; distance_one_sided = max_t (x_t − x₀) on a ring; states_visited.
//   - Table 1's column c: Num. = purposes of iteration c − 1; Length and Dist. are measured during iteration c. The
//     paper's parentheses of the first two rows look exchanged (20.9 cannot be the deviation of a count in 0…9) and,
//     for counts and distance, a constant near 2.9 too large; its iteration-0 distance fits a one-sided or final
//     measure. These are reported as observations.
//
// # Rules for whatever feeds a digest
//
// What enters a digest is the same bits everywhere; package linalg says how it holds the decomposition to that.
//
//   - Randomness: PCG of math/rand/v2, seeded from SHA-256 of (domain, seed, iteration, purpose of the stream); our
//     own bounded integers. The streams do not depend on kappa or the learner, so specs that differ there share their
//     first walk.
//   - Floating point: + − × ÷ √ only, in a fixed order, every product rounded explicitly (float64(x*y) + z) so that
//     nothing is fused; no math.Exp/Log/Hypot, no BLAS, no unchecked float → int. The encoder refuses NaN and Inf. A
//     test disassembles the arm64 build of what feeds digests and finds no FMADD, FMSUB, FNMADD, FNMSUB.
//   - Nothing depends on GOMAXPROCS, map order, wall clock, batch size, compression level or the place of an
//     interruption.
//   - A change of numerics raises the numerics version; heads pinned in testdata catch one that was not meant.
//     Recorded beside a run, outside digests: Go version, GOOS/GOARCH/GOAMD64, module versions, VCS revision and dirty
//     flag, host, wall and CPU time, peak memory.
package pod
