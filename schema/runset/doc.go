// Package runset is podtrack's own: it holds sets of runs to be made. A [Plan] has every combination of some
// specs and some [Seeds], and can be a [Study]. The memory that they take does not grow with the number of runs.
package runset
