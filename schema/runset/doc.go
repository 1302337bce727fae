// Package runset is podtrack's own: it holds sets of runs to be made. A [Plan] has every combination of some
// specs and some [Seeds]; [Unite] returns the runs of several plans. The memory that they take does not grow
// with the number of runs.
package runset
