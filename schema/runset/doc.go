// Package runset is podtrack's own: it holds sets of runs that are to be made. A [Plan] is the runs of some specs with
// some [Seeds]; [Unite] returns the runs of several plans. None of them takes memory by the number of its runs.
package runset
