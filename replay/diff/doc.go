// Package diff compares what runs discovered by meaning: not the bytes of records, but
// what the eigenpurposes reward and where the options lead.
//
// [Between] and [CompareRuns] compare the iterations of two runs: two sets of purposes are matched so that Σ|cos_M|
// is largest, where [Metric] measures the similarity of two purposes, cos_M(e,f) = eᵀMf / √(eᵀMe · fᵀMf) with
// M = Σδδᵀ over the transitions of the model: two directions that no transition distinguishes reward the same.
// A [Pair] compares two matched options by their policies, initiation sets, end states and values. A [ChanceLevel] is
// the similarity of random sets after matching; it is reported with every comparison, since similarity means nothing
// without it.
//
// [ClusterRuns] tells whether many runs discover the same: what agrees in each iteration, beside random sets of the
// same sizes, what is distinct, and which run has it.
//
// # Rules
//
//   - Comparing B with A gives the report of A with B with the sides exchanged: everything
//     is computed in one order of the two, whichever came first.
//   - Nothing here enters a digest. Random numbers are seeded.
//   - From [Threshold] on two purposes or options are the same, everywhere.
//   - Options are loaded one by one. Of two runs, memory is bounded by the model; of a group, by the states visited.
package diff
