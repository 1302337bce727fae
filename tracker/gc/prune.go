package gc

import (
	"context"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
)

// PruneOptions selects what [Prune] drops.
type PruneOptions struct {
	Runs      []schema.Digest
	Retention *tracker.Retention // to set for the runs; nil keeps theirs
	DryRun    bool               // only report what would be dropped
}

// Prune drops records that rows name but that no retention keeps: a record stays while a checkpoint
// names it or a run that retains it does. A tombstone replaces each dropped record. Runs that a
// living process works on are skipped.
//
// It first sets the runs' retentions, for which the runs must be in the store; then transactions of limited size drop
// records. If Prune is interrupted, another call continues.
func Prune(ctx context.Context, s *tracker.Store, o PruneOptions) (PruneReport, error) {
	p := newPruner(s, o.Runs)
	err := p.setRetentions(ctx, o)
	if err == nil {
		err = p.run(ctx)
	}
	return p.result(), err
}

// setRetentions sets the retentions of the runs.
func (p *pruner) setRetentions(ctx context.Context, o PruneOptions) error {
	if o.DryRun {
		p.dryRetentions = map[schema.Digest]tracker.Retention{}
	}
	for some := range slices.Chunk(p.runs, portion.Retentions) {
		if err := p.runTx(ctx, func(tx *tracker.Tx) error { return p.setRetentionsIn(tx, some, o) }); err != nil {
			return err
		}
	}
	return nil
}

func (p *pruner) setRetentionsIn(tx *tracker.Tx, runs []*PrunedRun, o PruneOptions) error {
	changed := false
	for _, r := range runs {
		if !tx.Rows().HasRun(r.Run) && o.Retention != nil {
			return storeerr.Missing("run %s", r.Run)
		}
		if p.checkLease(tx, r); r.Err != nil || o.Retention == nil {
			continue
		}
		before, err := tx.ReadRetention(r.Run)
		switch {
		case err != nil && !errors.Is(err, tracker.ErrDamaged):
			return err
		case o.DryRun:
			p.dryRetentions[r.Run] = *o.Retention
		case err != nil || !equalRetentions(*o.Retention, before):
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

// equalRetentions reports whether two retentions are equal. A nil one retains everything.
func equalRetentions(a tracker.Retention, b *tracker.Retention) bool {
	if b == nil {
		return a.KeepsEverything()
	}
	return a.Last == b.Last && slices.Equal(a.Kinds, b.Kinds)
}
