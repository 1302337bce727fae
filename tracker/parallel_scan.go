package tracker

import (
	"bytes"
	"runtime"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/schema"
)

// minRunsPerWorker is the number of runs from which another goroutine pays off.
const minRunsPerWorker = 256

// ScanNewest calls read for every run, and returns the wanted results, newest run first. read is
// called concurrently and in any order, each time with a transaction that sees what t sees; its
// result must not refer to that transaction's memory. It reads in the order of IDs, which is that of
// the rows, so that each page is read once. The error is that of the newest run that has one.
func ScanNewest[T any](t *Tx, read func(*Tx, Run) (v T, wanted bool, err error)) ([]T, error) {
	ids, err := t.listRunIDs()
	return scanRuns(t, ids, err, read)
}

// ScanNewestFrom returns at most limit results of [ScanNewest] from offset on, and the total number
// of runs. It reads no other runs.
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

// scanRuns reads the given runs. listErr is the error that ended their list, if any.
func scanRuns[T any](t *Tx, ids []schema.Digest, listErr error, read func(*Tx, Run) (T, bool, error)) ([]T, error) {
	c := indexedResults[T]{errIndex: len(ids), err: listErr}
	err := t.scanParallel(ids, func(tx *Tx, i int) {
		var v T
		wanted := false
		err := t.store.RecoverDamage(func() error {
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

// indexedResults collects results and the first error by index, from several goroutines.
type indexedResults[T any] struct {
	mu       sync.Mutex
	indices  []int
	results  []T
	errIndex int   // index of the run with err
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

// sorted returns the results in the order of their indices.
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

// listRunIDs returns the IDs of all runs, newest first, up to a damaged number.
func (t *Tx) listRunIDs() (ids []schema.Digest, err error) {
	for id, err := range t.orderedRunIDs() {
		if err != nil {
			return ids, err
		}
		ids = append(ids, id)
	}
	return ids, nil
}

// scanParallel calls read with the index of each run on several goroutines, on each in the order of
// IDs. A writing transaction uses one goroutine.
func (t *Tx) scanParallel(ids []schema.Digest, read func(tx *Tx, i int)) error {
	indices := make([]int, len(ids))
	for i := range indices {
		indices[i] = i
	}
	slices.SortFunc(indices, func(a, b int) int { return bytes.Compare(ids[a][:], ids[b][:]) })
	share := len(ids)
	if t.rows.Bolt == nil {
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
