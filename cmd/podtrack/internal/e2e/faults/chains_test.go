package faults

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/pages"
)

// chain is how far a run has come, and which of its records were pruned.
type chain struct {
	Links  []schema.Digest
	Pruned map[schema.Digest]bool
}

// chains are the runs of a store, and what is recorded of them.
type chains map[schema.Digest]chain

// look reads all pages of a store that may be damaged, then every row and record
// through the store, and verifies the links. No store has no runs.
func look(ctx context.Context, path string) (chains, error) {
	if _, err := os.Lstat(path); errors.Is(err, os.ErrNotExist) {
		return chains{}, nil
	}
	if err := walkPages(path); err != nil {
		return nil, err
	}
	runs := chains{}
	err := tracker.New(path, tracker.Options{}).View(ctx, func(tx *tracker.Tx) error {
		for r, err := range tx.Runs() {
			if err == nil {
				runs[r.ID], err = lookAt(tx, r)
			}
			if err != nil {
				return fmt.Errorf("run %s: %w", r.ID, err)
			}
		}
		return nil
	})
	return runs, err
}

func walkPages(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil {
		return err
	}
	f, err := pages.Open(file, info.Size())
	if err == nil {
		err = f.Traverse(pages.TraverseOptions{})
	}
	return err
}

func lookAt(tx *tracker.Tx, r tracker.Run) (c chain, err error) {
	c.Pruned = map[schema.Digest]bool{}
	its, err := tx.ReadIterations(r.ID)
	if err != nil {
		return c, err
	}
	before := schema.Digest{}
	begins, err := makersOf(r)
	if err != nil {
		return c, err
	}
	for k, it := range its {
		if id, begin := begins[k]; begin {
			before = id
		}
		if link, err := schema.Link(k, before, it.Records); err != nil || link != it.Link {
			return c, errors.Join(fmt.Errorf("iteration %d has another link", k), err)
		}
		if err := c.read(tx, it.Records); err != nil {
			return c, err
		}
		c.Links, before = append(c.Links, it.Link), it.Link
	}
	checkpoint, err := tx.ReadCheckpoint(r.ID)
	if err != nil || checkpoint == nil {
		return c, err
	}
	return c, c.read(tx, checkpoint.Records)
}

// makersOf returns which run made the iterations from each k on, up to the next one.
func makersOf(r tracker.Run) (made map[int]schema.Digest, err error) {
	made, begin := map[int]schema.Digest{}, 0
	for _, a := range r.Ancestors {
		if made[begin], err = a.ID(); err != nil {
			return nil, err
		}
		begin = a.Until
	}
	made[begin] = r.ID
	return made, nil
}

func (c chain) read(tx *tracker.Tx, entries []schema.Entry) error {
	for _, e := range entries {
		_, err := tx.ReadRecord(e.Name)
		if errors.Is(err, tracker.ErrPruned) {
			c.Pruned[e.Name] = true
		} else if err != nil {
			return err
		}
	}
	return nil
}

// Equal reports whether two stores have the same.
func (c chains) Equal(other chains) bool {
	return maps.EqualFunc(c, other, func(a, b chain) bool {
		return slices.Equal(a.Links, b.Links) && maps.Equal(a.Pruned, b.Pruned)
	})
}

// Between returns an error unless now is a state that an interrupted command may leave on its way from one state to
// the other.
func (c chains) Between(before, after chains) error {
	for id, run := range before {
		if _, there := c[id]; !there {
			if _, stays := after[id]; stays {
				return fmt.Errorf("run %s is lost, of %d iterations", id, len(run.Links))
			}
		}
	}
	for id, run := range c {
		old, was := before[id]
		end, is := after[id]
		switch {
		case !was && !is:
			return fmt.Errorf("run %s comes from nowhere", id)
		case !is:
			end = old
		}
		if !begins(run.Links, old.Links) || !begins(end.Links, run.Links) {
			return fmt.Errorf("run %s has the links %v, had %v, is to have %v", id, run.Links, old.Links, end.Links)
		}
		for name := range run.Pruned {
			if !old.Pruned[name] && !end.Pruned[name] {
				return fmt.Errorf("run %s lacks record %s", id, name)
			}
		}
	}
	return nil
}

// begins reports whether links begin with others.
func begins(links, others []schema.Digest) bool {
	return len(others) <= len(links) && slices.Equal(links[:len(others)], others)
}
