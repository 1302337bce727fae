// Package evaluate says what the options of an iteration are worth: how soon an
// agent that may use them learns to get to a goal, and how fast a random walk over
// them gets about.
//
// # The path to read
//
//  1. [Open] finds an iteration and reads its options: the [Subject].
//  2. [Subject.Evaluate] practises a task once for each arm and seed, by
//     package pod, and gives a [schema.Evaluation].
//  3. [Subject.Find] and [Subject.Record] keep it in the store: it hangs off the
//     iteration's link, under the digest of that link and its spec. [Verify] executes
//     it again.
//  4. [NewReport] sums it up, for tables and JSON; [Report.Curves] is what learning
//     curves are drawn from.
//  5. [Subject.Diffuse] is about no task: the exact diffusion time, and the cover
//     time of walks, by the number of options. It follows from the options alone and
//     is not recorded.
//
// # Rules
//
//   - Each arm draws from the same stream for the same seed. The random options of a
//     seed come from a stream of their own.
//   - No number depends on parallelism.
//   - An episode that does not get to the goal counts as one of all its steps, and
//     with a return of 0.
package evaluate
