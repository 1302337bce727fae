// Package diff compares what runs discovered by meaning: not the bytes of records, but
// what the eigenpurposes reward and where the options lead.
//
// # The path to read
//
//  1. [Metric] measures the similarity of two purposes. cos_M(e,f) = eᵀMf / √(eᵀMe · fᵀMf)
//     with M = Σδδᵀ over the transitions of the model: two directions that no transition
//     distinguishes reward the same.
//  2. compareOptionSets (compare.go) matches two sets of purposes. assign.go finds the matching with the
//     largest Σ|cos_M|; the sign of the cosine tells which sign matches which.
//  3. [Pair] compares two matched options: policies, initiation sets, end states, values.
//     behaviour.go holds them as sets of states.
//  4. subspace.go compares the spans of whole sets, sigma_cluster.go those of clusters of
//     nearly equal σ, in which single directions are arbitrary.
//  5. [ChanceLevel] is the similarity of random sets after matching. It is reported with
//     every comparison, since similarity means nothing without it.
//  6. [CompareRuns] compares the iterations of two runs.
//  7. [ClusterRuns] tells whether many runs discover the same, in four steps. What they
//     found of one kind, directions or options, is a list (discoveries.go; trace.go has
//     the similarity of options). agreement.go matches the sets of each iteration, beside
//     random ones of the same sizes; cover.go finds what is distinct, and which run has
//     it; verdict.go says both in a sentence.
//
// # Rules
//
//   - Comparing B with A gives the report of A with B with the sides exchanged: everything
//     is computed in one order of the two, whichever came first.
//   - Nothing here enters a digest. Random numbers are seeded.
//   - From [Threshold] on two purposes or options are the same, everywhere.
//   - Options are loaded one by one. Of two runs, memory is bounded by the model; of a group, by the states visited.
package diff
