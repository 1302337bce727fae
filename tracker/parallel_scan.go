package tracker

import (
	"cmp"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/rows"
)

type numberedRun struct {
	id     schema.Digest
	number uint64 // 0 if unknown
}

// ScanNewest calls read for every run, and returns the wanted results, newest run first. read is
// called concurrently and in any order, each time with a transaction that sees what t sees; its
// result must not refer to that transaction's memory. It reads in the order of IDs, which is that of
// the rows, so that each page is read once. The error is that of the newest run that fails.
func ScanNewest[T any](t *Tx, read func(*Tx, Run) (v T, wanted bool, err error)) ([]T, error) {
	_, runs, err := t.listNewest(0, math.MaxInt)
	return scanRuns(t, runs, err, read)
}

// ScanNewestFrom returns at most limit results of [ScanNewest] from offset on, and the total number
// of runs. It reads no other runs.
func ScanNewestFrom[T any](t *Tx, offset, limit int, read func(*Tx, Run) (T, error)) (total int, part []T, err error) {
	total, runs, err := t.listNewest(offset, limit)
	if err != nil {
		return 0, nil, err
	}
	part, err = scanRuns(t, runs, nil, func(tx *Tx, r Run) (T, bool, error) {
		v, err := read(tx, r)
		return v, true, err
	})
	return total, part, err
}

// ScanSome reads the given runs, as [ScanNewest] reads all. It ignores runs that do not exist.
func ScanSome[T any](t *Tx, ids []schema.Digest, read func(*Tx, Run) (v T, wanted bool, err error)) ([]T, error) {
	ids = rows.Dedupe(ids)
	runs := make([]numberedRun, len(ids))
	for i, id := range ids {
		runs[i].id = id
	}
	return scanRuns(t, runs, nil, read)
}

// A scannedRun is the result of reading a run. It refers to its value, since values are large and not all are wanted.
type scannedRun[T any] struct {
	number uint64 // 0 if unknown
	value  *T     // nil if it is not wanted
	err    error
}

// scanRuns reads the given runs. listErr is the error that ended their list, if any.
func scanRuns[T any](t *Tx, runs []numberedRun, listErr error, read func(*Tx, Run) (T, bool, error)) ([]T, error) {
	results := make([]scannedRun[T], len(runs))
	err := t.scanParallel(runs, func(tx *Tx, i int) {
		n, result := runs[i], &results[i]
		result.number = n.number
		result.err = t.store.RecoverDamage(func() error {
			if n.number == 0 && !tx.rows.HasRun(n.id) {
				return nil
			}
			r, err := tx.readIndexedRun(n.id)
			if err == nil {
				result.number = r.Number
				var v T
				var wanted bool
				if v, wanted, err = read(tx, r); wanted {
					result.value = &v
				}
			}
			return err
		})
	})
	if err != nil {
		return nil, err
	}
	slices.SortFunc(results, func(a, b scannedRun[T]) int { return cmp.Compare(b.number, a.number) })
	all := []T{}
	for _, r := range results {
		if r.err != nil {
			return nil, r.err
		}
		if r.value != nil {
			all = append(all, *r.value)
		}
	}
	if listErr != nil {
		return nil, listErr
	}
	return all, nil
}

// listNewest returns at most limit runs from offset on, newest first, and the number of all runs. After a
// damaged number it returns the runs before it. It verifies the rows of no others.
func (t *Tx) listNewest(offset, limit int) (total int, runs []numberedRun, err error) {
	c := t.rows.Bucket(rows.BucketOrder).Cursor()
	for key, row := c.Last(); key != nil; key, row = c.Prev() {
		if total >= offset && len(runs) < limit {
			number, id, err := rows.DecodeNumber(key, row)
			if err != nil {
				return 0, runs, err
			}
			runs = append(runs, numberedRun{id, number})
		}
		total++
	}
	return total, runs, nil
}

// scanParallel sorts the runs by their IDs, and calls read with the index of each, on several goroutines. A
// writing transaction uses one goroutine.
func (t *Tx) scanParallel(runs []numberedRun, read func(tx *Tx, i int)) error {
	slices.SortFunc(runs, func(a, b numberedRun) int { return a.id.Compare(b.id) })
	share := len(runs)
	if t.rows.Bolt == nil {
		share = max(portion.RunsPerWorker, (len(runs)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	}
	if share >= len(runs) {
		for i := range runs {
			read(t, i)
		}
		return nil
	}
	var group sync.WaitGroup
	defer group.Wait()
	for first := 0; first < len(runs); first += share {
		tx, err := t.clone()
		if err != nil {
			return err
		}
		group.Go(func() {
			for i := first; i < min(first+share, len(runs)); i++ {
				read(tx, i)
			}
		})
	}
	return nil
}
