package tracker

import (
	"context"
	"errors"
	"iter"
)

// maxGroup is how many runs are surveyed and compared at once.
const maxGroup = 512

// surveyed are the runs in groups, each of them looked at in both stores. A group
// takes about maxStaged bytes at most.
func (c *copier) surveyed(ctx context.Context, runs []*CopiedRun) iter.Seq2[[]*reader, error] {
	return func(yield func([]*reader, error) bool) {
		for len(runs) > 0 {
			group, err := c.survey(ctx, runs)
			if err == nil {
				c.vetAll(group)
				err = c.compare(ctx, group)
			}
			if err == nil && c.ours != nil {
				err = c.examine(ctx, group)
			}
			if !yield(group, err) || err != nil {
				return
			}
			runs = runs[len(group):]
		}
	}
}

func (c *copier) survey(ctx context.Context, runs []*CopiedRun) (group []*reader, err error) {
	size := int64(0)
	err = c.from.turns(ctx, func(tx *Tx) (more bool, err error) {
		w := &reader{r: runs[len(group)]}
		group = append(group, w)
		err = c.attempt(w, func() error { return w.survey(tx) })
		size += w.said.size + rowSize*int64(w.done+len(w.evaluations))
		return len(group) < min(len(runs), maxGroup) && size < maxStaged, err
	})
	return group, err
}

// attempt looks at one run of the other store. What is wrong with it, damage of the
// structure in which it was come upon included, ends that run alone.
func (c *copier) attempt(w *reader, look func() error) error {
	err := c.from.guard(look)
	var f *flaw
	switch {
	case errors.As(err, &f):
	case errors.Is(err, ErrDamaged):
		err = refused(-1, nil, err)
	default:
		return err
	}
	w.err = err
	return nil
}

func (c *copier) vetAll(group []*reader) {
	for _, w := range group {
		if w.err != nil {
			continue
		}
		w.r.Name = w.said.Name
		if c.vet != nil {
			if err := c.vet(w.run); err != nil {
				w.err = refused(-1, nil, err)
				continue
			}
		}
		if c.fit != nil {
			w.fit = c.fit(w.run)
		}
	}
}

func (c *copier) compare(ctx context.Context, group []*reader) error {
	return c.to.turns(ctx, func(tx *Tx) (more bool, err error) {
		if len(group) == 0 {
			return false, nil
		}
		w := group[0]
		if group = group[1:]; w.err == nil {
			w.err = w.compare(tx)
		}
		return true, nil
	})
}

// locate adds to differences of links the first record that differs.
func (c *copier) locate(ctx context.Context, differing []*reader) error {
	if len(differing) == 0 {
		return nil
	}
	return c.to.View(ctx, func(tx *Tx) error {
		for _, w := range differing {
			var f *flaw
			if !errors.As(w.err, &f) {
				continue
			}
			ours, err := tx.ReadIteration(w.run.ID, f.k)
			if err != nil {
				w.err = refusedHere(err)
				continue
			}
			f.compare(ours.Records)
		}
		return nil
	})
}

// differs says whether what ended the run is that the links differ.
func (w *reader) differs() bool {
	var f *flaw
	return errors.As(w.err, &f) && f.outcome == CopyDiffers
}
