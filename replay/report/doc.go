// Package report finds runs by filters, and reads them into the types that every view is made of:
// tables, CSV, JSON and figures. A view adds no numbers of its own.
//
//   - [Find] returns the runs that references or a filter name.
//   - [Run] is a run's line, [Detail] its iterations, [Option] one option with
//     what it was used for.
//   - [Select] turns what a user typed, references or a filter, into runs.
//   - [Run.Field] names each fact of a run as text; filters, sorting and columns
//     all go through it.
package report
