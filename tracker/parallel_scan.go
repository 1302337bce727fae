package tracker

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A numberedRun is a run and its number. It comes from a row of bucket order, which is verified only by its
// agreement with the run's own row.
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

// ScanSome is like [ScanNewest] for the given runs only. It ignores those that do not exist.
func ScanSome[T any](t *Tx, ids []schema.Digest, read func(*Tx, Run) (v T, wanted bool, err error)) ([]T, error) {
	ids = rows.Dedupe(ids)
	runs := make([]numberedRun, len(ids))
	for i, id := range ids {
		runs[i].id = id
	}
	return scanRuns(t, runs, nil, read)
}

// scanRuns reads the given runs. listErr is the error that ended their list, if any.
func scanRuns[T any](t *Tx, runs []numberedRun, listErr error, read func(*Tx, Run) (T, bool, error)) ([]T, error) {
	c := numberedResults[T]{err: listErr}
	err := t.scanParallel(runs, func(tx *Tx, n numberedRun) {
		var v T
		wanted := false
		err := t.store.RecoverDamage(func() error {
			r, err := tx.readNumberedRun(n)
			if n.number == 0 && errors.Is(err, ErrMissing) {
				return nil
			}
			if err == nil {
				n.number = r.Number
				v, wanted, err = read(tx, r)
			}
			return err
		})
		c.add(n.number, v, wanted, err)
	})
	if err == nil {
		err = c.err
	}
	if err != nil {
		return nil, err
	}
	return c.sorted(), nil
}

// readNumberedRun reads a run. Unless the run's own row has the same number, it verifies the row that the
// number came from.
func (t *Tx) readNumberedRun(n numberedRun) (Run, error) {
	if n.number == 0 {
		return t.ReadRun(n.id)
	}
	r, err := t.readIndexedRun(n.id)
	if err != nil || r.Number != n.number {
		if _, _, damage := t.rows.ReadRef(rows.BucketOrder, rows.NumberKey(n.number)); damage != nil {
			err = damage
		}
	}
	return r, err
}

// numberedResults collects results, and the error of the newest run that fails, from several goroutines.
type numberedResults[T any] struct {
	mu      sync.Mutex
	results []numberedResult[T]
	number  uint64 // of the run with err, 0 for an error of the list itself
	err     error  // nil for none
}

// A numberedResult refers to its value, since values are large and the list of results grows.
type numberedResult[T any] struct {
	number uint64
	value  *T
}

func (n *numberedResults[T]) add(number uint64, v T, wanted bool, err error) {
	if err == nil && !wanted {
		return
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	switch {
	case err == nil:
		n.results = append(n.results, numberedResult[T]{number, &v})
	case n.err == nil || number > n.number:
		n.number, n.err = number, err
	}
}

// sorted returns the results, newest first.
func (n *numberedResults[T]) sorted() []T {
	slices.SortFunc(n.results, func(a, b numberedResult[T]) int { return cmp.Compare(b.number, a.number) })
	sorted := make([]T, len(n.results))
	for i, r := range n.results {
		sorted[i], n.results[i].value = *r.value, nil
	}
	return sorted
}

// listNewest returns at most limit runs from offset on, newest first, and the number of all runs. After a
// damaged number it returns the runs before it. It verifies no rows: see [Tx.readNumberedRun].
func (t *Tx) listNewest(offset, limit int) (total int, runs []numberedRun, err error) {
	c := t.rows.Bucket(rows.BucketOrder).Cursor()
	for key, row := c.Last(); key != nil; key, row = c.Prev() {
		if total >= offset && len(runs) < limit {
			number, id, err := rows.PeekNumber(key, row)
			if err != nil {
				return 0, runs, err
			}
			runs = append(runs, numberedRun{id, number})
		}
		total++
	}
	return total, runs, nil
}

// scanParallel calls read for each run, on several goroutines, each of which reads in the order of IDs. A
// writing transaction uses one goroutine.
func (t *Tx) scanParallel(runs []numberedRun, read func(*Tx, numberedRun)) error {
	slices.SortFunc(runs, func(a, b numberedRun) int {
		if c := cmp.Compare(binary.BigEndian.Uint64(a.id[:]), binary.BigEndian.Uint64(b.id[:])); c != 0 {
			return c
		}
		return bytes.Compare(a.id[:], b.id[:])
	})
	share := len(runs)
	if t.rows.Bolt == nil {
		share = max(portion.RunsPerWorker, (len(runs)+runtime.GOMAXPROCS(0)-1)/runtime.GOMAXPROCS(0))
	}
	if share >= len(runs) {
		for _, n := range runs {
			read(t, n)
		}
		return nil
	}
	var group sync.WaitGroup
	for part := range slices.Chunk(runs, share) {
		tx, err := t.clone()
		if err != nil {
			group.Wait()
			return err
		}
		group.Go(func() {
			for _, n := range part {
				read(tx, n)
			}
		})
	}
	group.Wait()
	return nil
}
