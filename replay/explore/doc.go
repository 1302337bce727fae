// Package explore measures how a run explores: which states it visited and when, how evenly, and
// how diverse the options are that it made.
//
// [Read] computes a [Summary], with an [Iteration] for each iteration, from the recorded transitions and options. Every
// view is made from it. It is not stored, since it follows from the records: a replayed, resumed or forked run has the
// same measures, bit for bit.
//
//	explored, err := explore.Read(ctx, run) // a *replay.Run
//	if err != nil {
//		return err
//	}
//	for _, it := range explored.Iterations {
//		fmt.Println(it.K, *it.NewStates)
//	}
//
// [ReadVisits] reads no options, which is much faster. [MeasureInfos] lists the measures that tables of groups can
// show.
//
// # Definitions
//
//   - covered is the number of distinct states that were visited since the run began, and new_states
//     the number of those first visited in the iteration.
//   - entropy is Shannon's (Bell System Technical Journal 27, 1948), −Σ p log₂ p over the states, p
//     being a state's share of the iteration's visits: that of the empirical state distribution,
//     which maximum-entropy exploration maximises (Hazan, Kakade, Singh, Van Soest: Provably
//     Efficient Maximum Entropy Exploration, ICML 2019). entropy_normalised divides it by log₂ of the
//     number of states that can be reached.
//   - steps_to_half and the like are the steps until that share of those states was visited: partial
//     cover times (Aleliunas, Karp, Lipton, Lovász, Rackoff: Random walks, universal traversal
//     sequences, and the complexity of maze problems, FOCS 1979).
//   - initiation_overlap and termination_overlap are means over pairs of options of one iteration of
//     Jaccard's coefficient, |A ∩ B| / |A ∪ B| (Bulletin de la Société vaudoise des sciences
//     naturelles 37, 1901), which is 1 for two empty sets.
//
// # Rules
//
//   - Time is linear in the number of steps, memory in the number of states visited.
//   - Logarithms are computed in this package with + − × ÷ in a fixed order, so that they have the same bits on every
//     machine.
//   - Undefined values are nil: shares of an unknown number of states, overlaps of fewer than two options, all measures
//     of imported rows, which have no states.
package explore
