// Package evaluate is podtrack's own: it measures how useful the options of an iteration are: how fast an agent
// with these options learns to reach a goal, and how fast a random walk over them covers
// the states.
//
// # The path to read
//
//  1. [Open] reads the options of an iteration: the [Subject].
//  2. [ParseTask], allGoals and [DrawPairs] make tasks. [Subject.Evaluate] trains an agent
//     once for each task, arm and seed, by package pod, and returns a [schema.Evaluation];
//     action_sets.go has what the arms can choose from.
//  3. [Subject.Find] and [Subject.Record] load and store it: it belongs to the
//     iteration's link, under the digest of that link and its spec. [Subject.Complete] does
//     all of it, and continues what was interrupted among many tasks. [Verify] executes an
//     evaluation again.
//  4. [NewReport] summarises an evaluation of one task, for tables and JSON; [Report.Curves]
//     returns learning curves. [Aggregator] adds up those of many tasks, over runs too.
//  5. [Subject.Diffuse] needs no task: it returns the exact diffusion time, and the cover
//     time of walks, by the number of options. It follows from the options alone and is
//     not recorded.
//
// # Rules
//
//   - All arms draw from the same stream for the same seed. The random options of a seed
//     come from a stream of their own.
//   - No number depends on parallelism.
//   - An episode that does not reach the goal counts as one of all its steps, and with a
//     return of 0.
package evaluate
