// Package warnings is podtrack's own: it tells what is wrong with a run that its environment's model would have shown
// before: no direction passes κ, no state recurs, options never end or are never called.
//
// What flows in are the records of each iteration that every report reads anyway, its measures and its
// factors; a [Reader] takes them in order. Transitions are read only of learners from experience, the
// first chunk of an iteration, and only where options took a quarter of the steps. What flows out are
// [Warning] values: the kind, the numbers behind it, and what to try, as fields of a spec. The words are
// the program's (package cmd/podtrack/internal/hints).
//
// # Rules
//
//   - A warning states what was observed; it is no error, changes no exit code, and is not recorded, since
//     it follows from records, and from what a session says of a recheck.
//   - A remedy never changes a default. It names a field and a value; whether the value keeps directions,
//     for example, was computed from the run's own factors.
//   - What is missing, such as pruned records, leads to no warning.
package warnings
