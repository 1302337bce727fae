package merge

import (
	"context"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A runReader reads a run of the source as a stream of segments.
type runReader struct {
	result *CopiedRun
	err    error // a runError: why nothing more of the run is written

	dropped bool // from its group, which was too large; another reader reads the run

	run        tracker.Run
	checkShape tracker.ShapeCheck // nil if shapes are not checked
	done       int                // number of iterations in the source
	metadata   runMetadata

	ourLinks   []schema.Digest         // links of the target's iterations
	ourLacks   map[schema.Digest]error // why the target lacks records of the group; damage is looked for to heal it
	nothingNew bool                    // the target has all metadata

	position
}

type position struct {
	k     int           // the next iteration
	entry int           // the next record of it
	link  schema.Digest // of iteration k − 1
}

// size returns the approximate bytes of what is known of the run.
func (r *runReader) size() int64 { return r.metadata.size + rows.RowBytes*int64(r.done) }

// survey reads both stores' rows of the first portion.Group of the runs, or of as many as fit into portion.Read.
func (c *copier) survey(ctx context.Context, runs []*CopiedRun) (group []*runReader, err error) {
	lacks := map[schema.Digest]error{}
	for _, r := range runs[:min(len(runs), portion.Group)] {
		group = append(group, &runReader{result: r, ourLacks: lacks})
	}
	total := int64(0)
	err = visit(ctx, c.from, group, func(tx *tracker.Tx, r *runReader) error {
		err := c.catchRunError(r, func() error { return r.survey(tx) })
		for total += r.size(); total > portion.Read && len(group) > 1; {
			keep := len(group) / 2
			for _, d := range group[keep:] {
				total -= d.size()
				d.dropped = true
			}
			group = group[:keep]
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	for _, r := range group {
		if r.err == nil {
			c.checkRun(r)
		}
	}
	err = visit(ctx, c.to, group, func(tx *tracker.Tx, r *runReader) error {
		r.err = r.compareOurs(tx)
		return nil
	})
	if err == nil && c.Heal {
		err = c.findBroken(ctx, group, lacks)
	}
	return group, err
}

// visit calls look for each run of a group that no error has ended, in the order of the IDs, which is that of the rows.
func visit(ctx context.Context, s *tracker.Store, group []*runReader, look func(*tracker.Tx, *runReader) error) error {
	left := slices.Clone(group)
	slices.SortFunc(left, func(a, b *runReader) int { return a.result.Run.Compare(b.result.Run) })
	return tracker.ViewEach(ctx, s, left, func(tx *tracker.Tx, r *runReader) error {
		if r.err != nil || r.dropped {
			return nil
		}
		return look(tx, r)
	})
}

// catchRunError calls look for one run of the source. Damage, including damage of pages on the way, ends only that run.
func (c *copier) catchRunError(r *runReader, look func() error) error {
	err := c.from.RecoverDamage(look)
	var f *runError
	switch {
	case errors.As(err, &f):
	case errors.Is(err, tracker.ErrDamaged):
		err = refusedError(-1, nil, err)
	default:
		return err
	}
	r.err = err
	return nil
}

// survey reads the run's row, length and metadata.
func (r *runReader) survey(tx *tracker.Tx) (err error) {
	if r.run, err = tx.ReadRun(r.result.Run); err == nil {
		r.done, _, err = tx.ReadHead(r.run.ID)
	}
	if err == nil {
		err = r.run.Validate(r.done)
	}
	if err == nil {
		r.metadata, err = readMetadata(tx, r.run.ID)
	}
	if err != nil {
		return refusedError(-1, nil, err)
	}
	return nil
}

// checkRun lets the caller of the copy refuse a run.
func (c *copier) checkRun(r *runReader) {
	r.result.Name = r.metadata.Name
	if c.Validate != nil {
		if err := c.Validate(r.run); err != nil {
			r.err = refusedError(-1, nil, err)
		}
	}
	if r.err == nil && c.CheckShape != nil {
		r.checkShape = c.CheckShape(r.run)
	}
}

// compareOurs reads how much of the run the target has, and whether any metadata is new.
func (r *runReader) compareOurs(tx *tracker.Tx) error {
	if !tx.Rows().HasRun(r.run.ID) {
		return nil
	}
	its, err := tx.ReadIterations(r.run.ID)
	for _, it := range its {
		r.ourLinks = append(r.ourLinks, it.Link)
		for _, e := range it.Records {
			if tx.Rows().IsPruned(e.Name) {
				r.ourLacks[e.Name] = tracker.ErrPruned
			}
		}
	}
	var merged mergedMetadata
	if err == nil {
		merged, err = mergeMetadata(tx, r.run.ID, r.metadata, r.done > len(r.ourLinks))
	}
	if err != nil {
		return refusedHereError(err)
	}
	r.result.From, r.result.Name, r.result.Dropped = len(r.ourLinks), merged.Name, merged.dropped
	r.nothingNew = !merged.changed && len(merged.tags) == 0 && len(merged.sessions) == 0
	return nil
}

// findBroken adds the records of the runs that are damaged, missing or pruned in the target.
func (c *copier) findBroken(ctx context.Context, group []*runReader, lacks map[schema.Digest]error) error {
	for k := 0; len(group) > 0; {
		listed := map[schema.Digest]schema.Kind{}
		err := c.to.ViewInShortTxs(ctx, func(tx *tracker.Tx) (more bool, err error) {
			r := group[0]
			if r.err != nil || k >= min(len(r.ourLinks), r.done) {
				group, k = group[1:], 0
				return len(group) > 0, nil
			}
			it, err := tx.ReadIteration(r.run.ID, k)
			if err != nil {
				r.err = refusedHereError(err)
				return true, nil
			}
			for _, e := range it.Records {
				listed[e.Name] = e.Kind
			}
			k++
			return len(listed) < portion.Compared, nil
		})
		if err == nil {
			err = check.FindUnavailable(ctx, c.to, listed, lacks)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
