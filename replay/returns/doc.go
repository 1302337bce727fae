// Package returns is podtrack's own: it measures what the agent earned, in environments that declare a reward.
//
// [Read] computes a [Summary], with an [Iteration] for each iteration, from the recorded rewards and the ends of
// episodes in the transitions. Every view is made from it. It is not stored, since it follows from the records.
//
// # Definitions
//
//   - An episode counts in the iteration in which it ends. Each iteration begins a new one. Steps after the last end of
//     an iteration belong to no episode, but their rewards count in the mean reward.
//   - The return of an episode is the sum of its rewards, not discounted, in the order of its steps.
//   - The median of an even number of returns is the mean of the two in the middle.
//
// # Rules
//
//   - The time is linear in the steps. Memory is taken for one chunk of steps, and for one number an episode of
//     an iteration.
//   - Undefined values are nil: all measures without a reward, returns without an episode, and numbers beyond the range
//     of float64.
package returns
