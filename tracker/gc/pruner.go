package gc

import (
	"errors"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A PruneReport is the result of [Prune].
type PruneReport struct {
	Runs    []PrunedRun `json:"runs"`
	Records int         `json:"records"`
	Bytes   int64       `json:"bytes"` // of those records as stored
}

// A PrunedRun is the result for one run. A record that several runs share counts for the first of them.
type PrunedRun struct {
	Run        schema.Digest `json:"run"`
	Records    int           `json:"records"`
	Bytes      int64         `json:"bytes"`
	Already    int           `json:"already"`    // records of the run that were pruned before
	Unfinished bool          `json:"unfinished"` // records that the run needs to continue are kept until it is complete
	Reason     string        `json:"reason,omitempty"`
	Err        error         `json:"-"` // why the run was skipped, with its remedy
}

// errUnchanged ends a transaction without changes.
var errUnchanged = errors.New("nothing to change")

// A pruner visits the records of runs, in the order in which they are listed.
type pruner struct {
	store         *tracker.Store
	runs          []*PrunedRun
	dryRetentions map[schema.Digest]tracker.Retention // of a dry run, instead of the rows; otherwise nil
	dropped       rows.NameSet                        // dropped records, or in a dry run those that would be

	batch *pruneBatch // collected and not all dropped, or nil
	sizer tracker.TxSizer

	runIndex, k, entry int // next run, iteration and record
}

// newPruner returns a pruner that applies the retentions of the runs.
func newPruner(s *tracker.Store, runs []schema.Digest) *pruner {
	p := &pruner{store: s}
	for _, id := range runs {
		p.runs = append(p.runs, &PrunedRun{Run: id})
	}
	return p
}

func (p *pruner) result() PruneReport {
	all := PruneReport{Runs: []PrunedRun{}}
	for _, r := range p.runs {
		all.Runs = append(all.Runs, *r)
		all.Records += r.Records
		all.Bytes += r.Bytes
	}
	return all
}

// checkLease sets an error in r if another process works on the run.
func (p *pruner) checkLease(tx *tracker.Tx, r *PrunedRun) {
	l, err := tx.ReadLease(r.Run)
	if err == nil {
		err = tx.CheckNotHeld(r.Run, l)
	}
	if err != nil {
		r.Err, r.Reason = err, err.Error()
	}
}

// A pruneBatch is a set of records that the retentions of their runs allow to drop. How other rows use them is
// determined while other processes read; then short transactions drop them. If another process writes in
// between, their use is determined again.
type pruneBatch struct {
	*pruner
	refs     references
	names    []schema.Digest // in the order of the runs' lists
	runs     []*PrunedRun    // by name: the run that lists it
	stored   []int64         // by name: stored size in bytes
	uses     map[schema.Digest]recordUse
	leaving  map[schema.Digest][]uint64 // by name: numbers of pruned runs that own the record, or may have kept it
	size     int64
	snapshot snapshot                  // state for which uses is valid
	counts   map[*PrunedRun]*PrunedRun // counts of one transaction, by run
}
