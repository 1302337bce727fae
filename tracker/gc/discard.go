package gc

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A removedRow is a row of a removed run: its former bucket and key, and the row with its checksum.
// Its key in the bucket of removed runs is the time of the removal, 8 bytes BE ‖ run ID ‖ bucket ‖
// the byte 0 ‖ key.
type removedRow struct {
	bucket   string
	key, row []byte
}

// decodeRemoved verifies a row of the bucket of removed runs, and the row in it.
func decodeRemoved(key, row []byte) (r removedRow, err error) {
	value, err := rows.Verify(rows.BucketRemoved, key, row)
	if err != nil {
		return r, err
	}
	if len(key) < removedPrefix {
		return r, rows.DamagedError(rows.BucketRemoved, key)
	}
	bucket, inner, found := bytes.Cut(key[removedPrefix:], []byte{0})
	r = removedRow{string(bucket), inner, value}
	refers := r.bucket == rows.BucketOrder || r.bucket == rows.BucketNames
	if !found || !refers && !slices.Contains(rows.RunBuckets, r.bucket) ||
		!refers && !bytes.HasPrefix(inner, key[8:removedPrefix]) {
		return r, rows.DamagedError(rows.BucketRemoved, key)
	}
	_, err = rows.Verify(r.bucket, r.key, r.row)
	return r, err
}

const removedPrefix = 8 + len(schema.Digest{}) // bytes of a key that are equal for all rows of a removed run

// Discard removes runs so that [Undelete] can restore them until the next compaction: it moves their rows into
// the bucket of removed runs, and keeps the records that they name. It works in short transactions, each of
// which moves whole runs. It removes nothing if a living process works on one of the runs when it begins. It
// returns the number of removed runs, and the runs that it cannot move because rows of them are damaged; only
// [Remove] removes these.
func Discard(
	ctx context.Context, s *tracker.Store, ids []schema.Digest,
) (removed int, damaged []schema.Digest, err error) {
	left := rows.Dedupe(ids)
	err = s.View(ctx, func(tx *tracker.Tx) error {
		for _, id := range left {
			if err := checkRemovable(tx, id); err != nil {
				return err
			}
		}
		return ctx.Err()
	})
	at := s.Now().UnixNano()
	for sizer := (&tracker.TxSizer{}); err == nil && len(left) > 0; {
		var batch []schema.Digest
		n, size := 0, int64(0)
		err = s.View(ctx, func(tx *tracker.Tx) error {
			for n < len(left) && (n == 0 || size < sizer.Limit()) {
				bytes, err := measureRows(tx, left[n])
				switch {
				case errors.Is(err, tracker.ErrDamaged):
					damaged = append(damaged, left[n])
				case err != nil:
					return err
				default:
					batch, size = append(batch, left[n]), size+bytes
				}
				n++
			}
			return ctx.Err()
		})
		if err == nil && len(batch) > 0 {
			err = sizer.Update(ctx, s, size, func(tx *tracker.Tx) error { return discardRuns(tx, at, batch) })
		}
		if err == nil {
			removed, left = removed+len(batch), left[n:]
		}
	}
	return removed, damaged, err
}

// readRows returns copies of all rows of a run, and of the rows that refer to it. The error is
// [tracker.ErrDamaged] if a row is damaged.
func readRows(tx *tracker.Tx, id schema.Digest) (all []removedRow, err error) {
	run, err := tx.ReadRun(id)
	if err != nil {
		return nil, err
	}
	a, err := tx.ReadAnnotation(id)
	if err != nil {
		return nil, err
	}
	refs := []removedRow{{bucket: rows.BucketOrder, key: rows.NumberKey(run.Number)}}
	if a.Name != "" {
		refs = append(refs, removedRow{bucket: rows.BucketNames, key: []byte(a.Name)})
	}
	for _, r := range refs {
		if named, found, err := tx.Rows().ReadRef(r.bucket, r.key); err != nil {
			return nil, err
		} else if !found || named != id {
			return nil, rows.DamagedError(r.bucket, r.key)
		}
		r.row = bytes.Clone(tx.Rows().Bucket(r.bucket).Get(r.key))
		all = append(all, r)
	}
	for _, bucket := range rows.RunBuckets {
		for key, row := range tx.Rows().WithPrefix(bucket, id[:]) {
			if _, err := rows.Verify(bucket, key, row); err != nil {
				return nil, err
			}
			all = append(all, removedRow{bucket, bytes.Clone(key), bytes.Clone(row)})
		}
	}
	return all, nil
}

// measureRows returns the size of a transaction that moves the rows of a run, 0 if the run is missing.
func measureRows(tx *tracker.Tx, id schema.Digest) (size int64, err error) {
	all, err := readRows(tx, id)
	if errors.Is(err, tracker.ErrMissing) {
		return 0, nil
	}
	for _, r := range all {
		size += 2 * (tracker.RowCost + int64(len(r.row)))
	}
	return size, err
}

// discardRuns moves the rows of runs into the bucket of removed runs. It skips missing ones.
func discardRuns(tx *tracker.Tx, at int64, ids []schema.Digest) error {
	for _, id := range ids {
		if err := checkRemovable(tx, id); errors.Is(err, tracker.ErrMissing) {
			continue // another process removed it
		} else if err != nil {
			return err
		}
		all, err := readRows(tx, id)
		if err != nil {
			return err
		}
		as := RemovedRun{ID: id, at: at}
		for len(tx.Rows().Keys(rows.BucketRemoved, as.prefix())) > 0 {
			as.at++ // the same run was removed at that time, by a clock that was set back
		}
		if err := shareOwned(tx, all); err != nil {
			return err
		}
		for _, r := range all {
			if err := tx.Rows().Put(rows.BucketRemoved, removedKey(as.at, id, r), r.row); err != nil {
				return err
			}
			if err := tx.Rows().Remove(r.bucket, r.key); err != nil {
				return err
			}
		}
	}
	return nil
}

// shareOwned notes that it is no longer known which runs retain the records that some rows name and no run keeps: a
// compaction will remove the rows, unless they are restored.
func shareOwned(tx *tracker.Tx, all []removedRow) error {
	for _, r := range all {
		named, err := tracker.NamedRecords(r.bucket, r.key, r.row)
		if err != nil {
			return err
		}
		for _, e := range named {
			if !tx.Rows().IsKept(e.Name) {
				tx.Rows().Share(e.Name)
			}
		}
	}
	return nil
}

func removedKey(at int64, id schema.Digest, r removedRow) []byte {
	key := append(binary.BigEndian.AppendUint64(nil, uint64(at)), id[:]...)
	return append(append(append(key, r.bucket...), 0), r.key...)
}

// RemovedRecords returns the records that removed runs name.
func RemovedRecords(tx *tracker.Tx) map[schema.Digest]bool {
	names := map[schema.Digest]bool{}
	visitRemovedReferences(tx, func(e schema.Entry) { names[e.Name] = true })
	return names
}

// A RemovedRun is a run that can be restored.
type RemovedRun struct {
	ID         schema.Digest `json:"run"`
	Name       string        `json:"name"`
	Removed    time.Time     `json:"removed"`
	Iterations int           `json:"iterations"`
	Spec       schema.Spec   `json:"spec"`
	at         int64
}

// ReadRemoved returns the removed runs, the last removed first. It omits those with a damaged row, and returns
// their number.
func ReadRemoved(tx *tracker.Tx) (runs []RemovedRun, damaged int) {
	var last []byte
	var current RemovedRun
	var specs runset.SpecCache
	sound := true
	add := func() {
		switch {
		case last == nil:
		case sound && !current.ID.IsZero():
			runs = append(runs, current)
		default:
			damaged++
		}
	}
	for key, row := range tx.Rows().WithPrefix(rows.BucketRemoved, nil) {
		if len(key) < removedPrefix {
			continue // of a later version
		}
		if !bytes.Equal(key[:removedPrefix], last) {
			add()
			last, current, sound = bytes.Clone(key[:removedPrefix]), RemovedRun{}, true
		}
		r, err := decodeRemoved(key, row)
		if err == nil {
			err = current.note(r, &specs)
		}
		sound = sound && err == nil
		current.at = int64(binary.BigEndian.Uint64(last))
		current.Removed = time.Unix(0, current.at).UTC()
	}
	add()
	slices.Reverse(runs)
	return runs, damaged
}

// note adds the information of a row to the run.
func (r *RemovedRun) note(row removedRow, specs *runset.SpecCache) error {
	value := row.row[:len(row.row)-rows.SumSize]
	switch row.bucket {
	case rows.BucketRuns:
		of, err := tracker.DecodeRun(row.key, value, specs)
		r.ID, r.Spec = of.ID, of.Spec
		return err
	case rows.BucketAnnotations:
		a, err := tracker.DecodeAnnotation(row.key, value)
		r.Name = a.Name
		return err
	case rows.BucketIterations:
		r.Iterations++
	}
	return nil
}

// ErrExists means that a removed run cannot be restored because the store has it again.
var ErrExists = errors.New("is in the store again")

// Undelete restores removed runs in short transactions, each of which restores one run. It returns the names
// that it did not restore, by run, because other runs have them now. After an error the runs before it are
// restored.
func Undelete(
	ctx context.Context, s *tracker.Store, runs []RemovedRun,
) (restored int, taken map[schema.Digest]string, err error) {
	taken = map[schema.Digest]string{}
	sizer := &tracker.TxSizer{}
	for _, run := range runs {
		size := int64(0)
		err := s.View(ctx, func(tx *tracker.Tx) error {
			for _, row := range tx.Rows().WithPrefix(rows.BucketRemoved, run.prefix()) {
				size += 2 * (tracker.RowCost + int64(len(row)))
			}
			return ctx.Err()
		})
		if err == nil {
			err = sizer.Update(ctx, s, size, func(tx *tracker.Tx) error {
				name, err := undelete(tx, run)
				if name != "" {
					taken[run.ID] = name
				}
				return err
			})
		}
		if err != nil {
			return restored, taken, err
		}
		restored++
	}
	return restored, taken, nil
}

func (r RemovedRun) prefix() []byte { return removedKey(r.at, r.ID, removedRow{})[:removedPrefix] }

// undelete restores a removed run with all of its rows. If another run has its name now, it restores the run
// without it, and returns the name. The error is [ErrExists] if the store has the run, and [tracker.ErrMissing]
// if the run is no longer removed, or another program dropped records of it.
func undelete(tx *tracker.Tx, run RemovedRun) (takenName string, err error) {
	if tx.Rows().HasRun(run.ID) {
		return "", schema.Advise(fmt.Errorf("run %.7s %w", run.ID, ErrExists), tracker.AdviceRemoveFirst, run.ID.String()[:7])
	}
	keys := tx.Rows().Keys(rows.BucketRemoved, run.prefix())
	if len(keys) == 0 {
		return "", storeerr.Missing("removed run %s", run.ID)
	}
	for _, key := range keys {
		r, err := decodeRemoved(key, tx.Rows().Bucket(rows.BucketRemoved).Get(key))
		if err != nil {
			return "", err
		}
		if err := checkNamedRecords(tx, r); err != nil {
			return "", err
		}
		if r.bucket == rows.BucketNames {
			if _, taken, err := tx.Rows().ReadRef(r.bucket, r.key); err != nil {
				return "", err
			} else if taken {
				takenName = string(r.key)
				continue
			}
		}
		if err := tx.Rows().Bucket(r.bucket).Put(bytes.Clone(r.key), bytes.Clone(r.row)); err != nil {
			return "", err
		}
	}
	for _, key := range keys {
		if err := tx.Rows().Remove(rows.BucketRemoved, key); err != nil {
			return "", err
		}
	}
	if takenName != "" {
		err = tx.UpdateAnnotation(run.ID, func(a *tracker.Annotation) { a.Name = "" })
	}
	return takenName, err
}

// checkNamedRecords returns [tracker.ErrMissing] if a record that a row of a removed run names is missing. A
// pruned record can be computed again, unless a checkpoint names it.
func checkNamedRecords(tx *tracker.Tx, r removedRow) error {
	named, err := tracker.NamedRecords(r.bucket, r.key, r.row)
	if err != nil {
		return err
	}
	for _, e := range named {
		if !tx.HasRecord(e.Name) && (!tx.IsPruned(e.Name) || r.bucket == rows.BucketCheckpoints) {
			return schema.Advise(fmt.Errorf("record %s of the removed run: %w", e.Name, tracker.ErrMissing),
				tracker.AdviceMakeAgain)
		}
	}
	return nil
}

// visitRemovedReferences calls visit with the records that rows of removed runs name. It skips damaged rows,
// which keep no record.
func visitRemovedReferences(tx *tracker.Tx, visit func(schema.Entry)) {
	for key, row := range tx.Rows().WithPrefix(rows.BucketRemoved, nil) {
		r, err := decodeRemoved(key, row)
		if err != nil {
			continue
		}
		named, err := tracker.NamedRecords(r.bucket, r.key, r.row)
		if err != nil {
			continue
		}
		for _, e := range named {
			visit(e)
		}
	}
}
