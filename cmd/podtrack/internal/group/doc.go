// Package group has the groups of runs of commands, figures and documents, from the choice of runs to statistics.
//
//   - A [Choice] names the runs, by a filter for each group or by one whose runs fields split. It finds them, and reads
//     their measures, and no other record, in steps between which other processes can write. A [Group] holds them.
//   - [SummariseAll] summarises groups by measure and iteration, and [Compare] compares them with a baseline. Package
//     stats defines each number: mean, sd, se, quantiles and interquartile mean of a group; the difference of the means
//     b − a and the probability of improvement of two, each with its interval.
//   - [CompareStudy] compares the variants of a study, a plan with names that a file describes, in each of its settings
//     by their outcomes, with one verdict.
//   - [ReadBands] reads the runs' transitions: how many states were visited, or how far the agent was, at
//     each step, with means and intervals over the runs of each group.
//
// # Rules
//
//   - A run without a value (its iteration is not recorded yet, or no option was
//     called whose length could be measured) is left out; n counts the others.
//   - Of runs that a filter finds and that share iterations, as a fork and its parent do, all but one are set aside.
//   - Results list what is missing: runs that lack iterations which others have,
//     or which their target asks for, and runs without a partner.
//   - Paired runs are those with the same value of one field of the spec. Runs without a partner stay in their group's
//     summary; the difference and the improvement are those of the pairs alone.
//   - No number depends on the order of the runs.
package group
