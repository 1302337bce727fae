// Package evaluate is podtrack's own: it measures how useful the options of an iteration are: how fast an agent
// with these options learns to reach a goal, and how fast a random walk over them covers the states.
//
// [Open] reads the options of an iteration, the [Subject], and [ParseTask] parses its tasks. [Subject.Evaluate] trains
// an agent once for each task, arm and seed. An arm is a set of options that the agent chooses from: those of the
// iteration, none, random ones, or options made by hand. An [Aggregator] sums results up, also over runs. Nothing is
// recorded: the same spec gives the same numbers.
//
// [Subject.Diffuse] needs no task: it returns the exact diffusion time and a simulated cover time by the number of
// options.
//
// # Rules
//
//   - For one seed all arms draw from the same stream; the random options of a seed have a stream of their own.
//   - No number depends on parallelism.
//   - An episode that does not reach the goal counts with all its steps and a return of 0.
package evaluate
