// Package evaluation is podtrack's own: it has the records of what options are worth for a task, and their specs.
// Such a record refers to an iteration and is part of no chain, so that package schema, which has the records of
// iterations, needs to know its kind alone.
package evaluation
