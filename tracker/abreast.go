package tracker

import (
	"bytes"
	"runtime"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/schema"
)

// minShare is how many runs are worth a goroutine.
const minShare = 256

// Newest reads every run, and returns what was read, the newest first. read is
// called for several runs at a time, in any order, each time with a transaction
// that sees what t does; what it returns must point into nothing of that. The
// error is that of the newest run that has one.
//
// Rows are in the order of IDs, so runs are read in that order: what belongs to
// one stands after what belongs to the one before, and a page is read once.
func Newest[T any](t *Tx, read func(*Tx, Run) (T, error)) ([]T, error) {
	ids, order := t.numbered()
	return newest(t, ids, order, read)
}

// NewestFrom is what [Newest] returns from offset on, at most limit runs, and of
// how many. It reads no others.
func NewestFrom[T any](t *Tx, offset, limit int, read func(*Tx, Run) (T, error)) (total int, part []T, err error) {
	ids, err := t.numbered()
	if err != nil {
		return 0, nil, err
	}
	from := min(offset, len(ids))
	part, err = newest(t, ids[from:from+min(limit, len(ids)-from)], nil, read)
	return len(ids), part, err
}

// newest reads those runs; order is why there are no more of them.
func newest[T any](t *Tx, ids []schema.Digest, order error, read func(*Tx, Run) (T, error)) ([]T, error) {
	found, errs := make([]T, len(ids)), make([]error, len(ids))
	err := t.abreast(ids, func(tx *Tx, i int) {
		errs[i] = t.store.guard(func() error {
			r, err := tx.indexed(ids[i])
			if err == nil {
				found[i], err = read(tx, r)
			}
			return err
		})
	})
	for _, e := range append(errs, order) {
		if err == nil && e != nil {
			return nil, e
		}
	}
	return found, err
}

// numbered are the IDs of all runs, the newest first, up to a number that is damaged.
func (t *Tx) numbered() (ids []schema.Digest, err error) {
	for id, err := range t.ordered() {
		if err != nil {
			return ids, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// abreast calls read with the index of each run, in the order of IDs on each of
// as many goroutines as can run at once. A transaction that writes is for one.
func (t *Tx) abreast(ids []schema.Digest, read func(tx *Tx, i int)) error {
	indices := make([]int, len(ids))
	for i := range indices {
		indices[i] = i
	}
	slices.SortFunc(indices, func(a, b int) int { return bytes.Compare(ids[a][:], ids[b][:]) })
	share := len(ids)
	if t.btx == nil {
		share = max(minShare, (len(ids)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	}
	if share >= len(ids) {
		for _, i := range indices {
			read(t, i)
		}
		return nil
	}
	var group sync.WaitGroup
	for part := range slices.Chunk(indices, share) {
		tx, err := t.beside()
		if err != nil {
			group.Wait()
			return err
		}
		group.Go(func() {
			for _, i := range part {
				read(tx, i)
			}
		})
	}
	group.Wait()
	return nil
}
