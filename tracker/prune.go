package tracker

import (
	"context"
	"errors"

	"github.com/podtrack/podtrack/schema"
)

// PruneOptions selects what [Prune] drops.
type PruneOptions struct {
	Runs      []schema.Digest
	Retention *Retention // to set for the runs; nil leaves theirs
	DryRun    bool       // only report what would be dropped
}

// PruneReport is the result of [Prune].
type PruneReport struct {
	Runs    []PrunedRun `json:"runs"`
	Records int         `json:"records"`
	Bytes   int64       `json:"bytes"` // of those records as stored
}

// PrunedRun is the result for one run. A record that runs share counts for the first of them.
type PrunedRun struct {
	Run        schema.Digest `json:"run"`
	Records    int           `json:"records"`
	Bytes      int64         `json:"bytes"`
	Already    int           `json:"already"`    // records of the run that were pruned before
	Unfinished bool          `json:"unfinished"` // what the run needs to continue is kept until it is complete
	Reason     string        `json:"reason,omitempty"`
	Err        error         `json:"-"` // why the run was skipped, with its remedy
}

// Prune drops records that rows name but that no retention keeps: a record stays while a checkpoint
// names it or a run that retains it does. A tombstone replaces each dropped record. Runs that a
// living process works on are skipped.
//
// First the runs' retentions are set, then transactions of about maxStaged bytes drop records. If
// Prune is interrupted after any of them, another call continues.
func Prune(ctx context.Context, s *Store, o PruneOptions) (PruneReport, error) {
	p := newPruner(s, o.Runs)
	err := p.setRetentions(ctx, o)
	if err == nil {
		err = p.pruneAll(ctx)
	}
	return p.result(), err
}

// pruner visits the records of runs, in the order in which they are listed.
type pruner struct {
	store         *Store
	runs          []*PrunedRun
	ownLeases     map[schema.Digest][16]byte  // tokens of this process's leases, which do not prevent pruning
	dryRetentions map[schema.Digest]Retention // of a dry run, instead of the rows; otherwise nil
	dropped       map[schema.Digest]bool      // records that a dry run would drop

	batch *pruneBatch // collected and not all dropped, or nil
	sizer txSizer

	runIndex, k, entry int // next run, iteration and record
}

func newPruner(s *Store, runs []schema.Digest) *pruner {
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

// maxRetentionsPerTx is the number of runs whose retentions one transaction sets.
const maxRetentionsPerTx = 1000

// setRetentions sets the retentions of the runs.
func (p *pruner) setRetentions(ctx context.Context, o PruneOptions) error {
	if o.DryRun {
		p.dryRetentions, p.dropped = map[schema.Digest]Retention{}, map[schema.Digest]bool{}
	}
	for first := 0; first < len(p.runs); first += maxRetentionsPerTx {
		some := p.runs[first:min(first+maxRetentionsPerTx, len(p.runs))]
		if err := p.runTx(ctx, func(tx *Tx) error { return p.setRetentionsIn(tx, some, o) }); err != nil {
			return err
		}
	}
	return nil
}

func (p *pruner) setRetentionsIn(tx *Tx, runs []*PrunedRun, o PruneOptions) error {
	changed := false
	for _, r := range runs {
		if !tx.hasRun(r.Run) {
			return missingError("run %s", r.Run)
		}
		if p.checkLease(tx, r); r.Err != nil || o.Retention == nil {
			continue
		}
		before, err := tx.ReadRetention(r.Run)
		switch {
		case err != nil && !errors.Is(err, ErrDamaged):
			return err
		case o.DryRun:
			p.dryRetentions[r.Run] = *o.Retention
		case err != nil || !o.Retention.equals(before):
			changed = true
			if err := tx.SetRetention(r.Run, *o.Retention); err != nil {
				return err
			}
		}
	}
	if !changed {
		return errUnchanged
	}
	return nil
}

// checkLease sets an error in r if another process works on the run.
func (p *pruner) checkLease(tx *Tx, r *PrunedRun) {
	l, err := tx.ReadLease(r.Run)
	if err == nil && l != nil && tx.isAlive(*l) && p.ownLeases[r.Run] != l.Token {
		err = tx.heldError(r.Run, *l)
	}
	if err != nil {
		r.Err, r.Reason = err, err.Error()
	}
}
