// Package returns is podtrack's own: it measures what the agent earned, in environments that declare a reward.
//
// What flows in are the recorded rewards, and from the transitions where episodes end; what flows out is a
// [Summary] with a list of [Iteration], from which every view is made. Nothing of it is stored, since all of it
// follows from the records.
//
// # Definitions
//
//   - An episode counts in the iteration in which it ends. Each iteration begins one, and what is left at its
//     end is no episode, but its steps have rewards.
//   - The return of an episode is the sum of its rewards, not discounted, in the order of its steps.
//   - The median of an even number of returns is the mean of the two in the middle.
//
// # Rules
//
//   - The time is linear in the steps. Memory is taken for one chunk of steps, and for one number an episode of
//     an iteration.
//   - What is not defined is nil: everything without a reward, returns without an episode, and numbers that are
//     beyond the range of float64.
package returns
