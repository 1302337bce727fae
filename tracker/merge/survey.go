package merge

import (
	"bytes"
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/rows"
)

// surveyRuns yields the runs in groups after reading both stores. A group takes about portion.Read
// bytes at most.
func (c *copier) surveyRuns(ctx context.Context, runs []*CopiedRun) iter.Seq2[[]*runReader, error] {
	return func(yield func([]*runReader, error) bool) {
		for len(runs) > 0 {
			group, err := c.surveyGroup(ctx, runs)
			if err == nil {
				c.validateAll(group)
				err = c.compareGroup(ctx, group)
			}
			if err == nil && c.heal {
				err = c.findBroken(ctx, group)
			}
			if !yield(group, err) || err != nil {
				return
			}
			runs = runs[len(group):]
		}
	}
}

// surveyGroup reads the first portion.Group of the runs, or as many as fit into portion.Read.
func (c *copier) surveyGroup(ctx context.Context, runs []*CopiedRun) (group []*runReader, err error) {
	for _, r := range runs[:min(len(runs), portion.Group)] {
		group = append(group, &runReader{result: r})
	}
	left, sizes := orderByID(group), make(map[*runReader]int64, len(group))
	total := int64(0)
	err = c.from.ViewInShortTxs(ctx, func(tx *tracker.Tx) (more bool, err error) {
		if len(left) == 0 {
			return false, nil
		}
		w := left[0]
		left = left[1:]
		err = c.catchRunError(w, func() error { return w.survey(tx) })
		sizes[w] = w.metadata.size + rows.RowBytes*int64(w.done)
		total += sizes[w]
		for total > portion.Read && len(group) > 1 {
			keep := len(group) / 2
			for _, w := range group[keep:] {
				total -= sizes[w]
				w.dropped = true
			}
			group = group[:keep]
			left = slices.DeleteFunc(left, func(w *runReader) bool { return w.dropped })
		}
		return true, err
	})
	return group, err
}

// orderByID returns the runs in the order of their IDs.
func orderByID(group []*runReader) []*runReader {
	ordered := slices.Clone(group)
	slices.SortFunc(ordered, func(a, b *runReader) int { return bytes.Compare(a.result.Run[:], b.result.Run[:]) })
	return ordered
}

// catchRunError calls look for one run of the source. Damage, including damage of pages on the way, ends only
// that run.
func (c *copier) catchRunError(w *runReader, look func() error) error {
	err := c.from.RecoverDamage(look)
	var f *runError
	switch {
	case errors.As(err, &f):
	case errors.Is(err, tracker.ErrDamaged):
		err = refusedError(-1, nil, err)
	default:
		return err
	}
	w.err = err
	return nil
}

func (c *copier) validateAll(group []*runReader) {
	for _, w := range group {
		if w.err != nil {
			continue
		}
		w.result.Name = w.metadata.Name
		if c.validate != nil {
			if err := c.validate(w.run); err != nil {
				w.err = refusedError(-1, nil, err)
				continue
			}
		}
		if c.checkShape != nil {
			w.checkShape = c.checkShape(w.run)
		}
	}
}

func (c *copier) compareGroup(ctx context.Context, group []*runReader) error {
	group = orderByID(group)
	return c.to.ViewInShortTxs(ctx, func(tx *tracker.Tx) (more bool, err error) {
		if len(group) == 0 {
			return false, nil
		}
		w := group[0]
		if group = group[1:]; w.err == nil {
			w.err = w.compareOurs(tx)
		}
		return true, nil
	})
}

// locateDifferences adds the first differing record to errors about different links.
func (c *copier) locateDifferences(ctx context.Context, differing []*runReader) error {
	if len(differing) == 0 {
		return nil
	}
	return c.to.View(ctx, func(tx *tracker.Tx) error {
		for _, w := range differing {
			var f *runError
			if !errors.As(w.err, &f) {
				continue
			}
			ours, err := tx.ReadIteration(w.run.ID, f.k)
			if err != nil {
				w.err = refusedHereError(err)
				continue
			}
			f.findDifference(ours.Records)
		}
		return nil
	})
}

// isDifferent reports whether the run ended because the links differ.
func (r *runReader) isDifferent() bool {
	var f *runError
	return errors.As(r.err, &f) && f.outcome == OutcomeDiffers
}
