package tracker

import (
	"bytes"
	"runtime"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/schema"
)

// minRunsPerWorker is how many runs are worth a goroutine.
const minRunsPerWorker = 256

// ScanNewest reads every run, and returns what was read of those that are wanted, the
// newest first. read is called for several runs at a time, in any order, each time with
// a transaction that sees what t does; what it returns must point into nothing of that.
// The error is that of the newest run that has one.
//
// Rows are in the order of IDs, so runs are read in that order: what belongs to
// one stands after what belongs to the one before, and a page is read once.
func ScanNewest[T any](t *Tx, read func(*Tx, Run) (v T, wanted bool, err error)) ([]T, error) {
	ids, order := t.listRunIDs()
	return scanRuns(t, ids, order, read)
}

// ScanNewestFrom is what [ScanNewest] returns from offset on, at most limit runs, and of
// how many. It reads no others.
func ScanNewestFrom[T any](t *Tx, offset, limit int, read func(*Tx, Run) (T, error)) (total int, part []T, err error) {
	ids, err := t.listRunIDs()
	if err != nil {
		return 0, nil, err
	}
	from := min(offset, len(ids))
	part, err = scanRuns(t, ids[from:from+min(limit, len(ids)-from)], nil, func(tx *Tx, r Run) (T, bool, error) {
		v, err := read(tx, r)
		return v, true, err
	})
	return len(ids), part, err
}

// scanRuns reads the given runs; order is the error that ended their list, if any.
func scanRuns[T any](t *Tx, ids []schema.Digest, order error, read func(*Tx, Run) (T, bool, error)) ([]T, error) {
	c := indexedResults[T]{errIndex: len(ids), err: order}
	err := t.scanParallel(ids, func(tx *Tx, i int) {
		var v T
		wanted := false
		err := t.store.recoverDamage(func() error {
			r, err := tx.readIndexedRun(ids[i])
			if err == nil {
				v, wanted, err = read(tx, r)
			}
			return err
		})
		c.add(i, v, wanted, err)
	})
	if err == nil {
		err = c.err
	}
	if err != nil {
		return nil, err
	}
	return c.sorted(), nil
}

// indexedResults gathers what several goroutines find, and their first error, by index.
type indexedResults[T any] struct {
	mu       sync.Mutex
	indices  []int
	results  []T
	errIndex int   // index of err
	err      error // nil for none
}

func (c *indexedResults[T]) add(i int, v T, wanted bool, err error) {
	if err == nil && !wanted {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case err == nil:
		c.indices, c.results = append(c.indices, i), append(c.results, v)
	case i < c.errIndex:
		c.errIndex, c.err = i, err
	}
}

// sorted is what was found, in the order of indices.
func (c *indexedResults[T]) sorted() []T {
	order := make([]int, len(c.indices))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return c.indices[a] - c.indices[b] })
	sorted := make([]T, len(order))
	for i, at := range order {
		sorted[i] = c.results[at]
	}
	return sorted
}

// listRunIDs are the IDs of all runs, the newest first, up to a number that is damaged.
func (t *Tx) listRunIDs() (ids []schema.Digest, err error) {
	for id, err := range t.orderedRunIDs() {
		if err != nil {
			return ids, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// scanParallel calls read with the index of each run, in the order of IDs on each of
// as many goroutines as can run at once. A transaction that writes is for one.
func (t *Tx) scanParallel(ids []schema.Digest, read func(tx *Tx, i int)) error {
	indices := make([]int, len(ids))
	for i := range indices {
		indices[i] = i
	}
	slices.SortFunc(indices, func(a, b int) int { return bytes.Compare(ids[a][:], ids[b][:]) })
	share := len(ids)
	if t.btx == nil {
		share = max(minRunsPerWorker, (len(ids)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	}
	if share >= len(ids) {
		for _, i := range indices {
			read(t, i)
		}
		return nil
	}
	var group sync.WaitGroup
	for part := range slices.Chunk(indices, share) {
		tx, err := t.clone()
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
