// Package evaluate is podtrack's own: it measures how useful the options of an iteration are: how fast an agent
// with these options learns to reach a goal, and how fast a random walk over them covers the states.
//
// [Open] reads the options of an iteration, the [Subject], and [ParseTask] and [DrawPairs] make its tasks.
// [Subject.Evaluate] trains an agent once for each task, arm and seed. An arm is a set of options that the agent
// chooses from: those of the iteration, none, random ones, or options made by hand. [Subject.Complete] also records the
// result, a record of an evaluation, under the digest of the iteration's link and the evaluation's spec; called again
// after an interruption, it continues among the tasks. [Verify] executes recorded evaluations again.
//
// [NewReport] summarises the evaluation of one task for tables and JSON, and [Report.Curves] returns its learning
// curves. An [Aggregator] combines evaluations of many tasks, also over runs.
//
// [Subject.Diffuse] needs no task: it returns the exact diffusion time and a simulated cover time by the number of
// options. They follow from the options alone and are not recorded.
//
// # Rules
//
//   - For one seed all arms draw from the same stream; the random options of a seed have a stream of their own.
//   - No number depends on parallelism.
//   - An episode that does not reach the goal counts with all its steps and a return of 0.
package evaluate
