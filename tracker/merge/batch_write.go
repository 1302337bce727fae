package merge

import (
	"bytes"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/codec"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// batchWriter writes a batch in one transaction. Digests come in no order, so the index of records
// is looked up once and written once for all records, in the order of digests.
type batchWriter struct {
	*tracker.Tx
	packer *codec.Codec
	batch  *batch
	order  []int    // indices of the batch's records, sorted by name
	places [][]byte // place of each record, nil if it is missing
	added  []bool   // records to be indexed
}

func newBatchWriter(tx *tracker.Tx, packer *codec.Codec, s *batch) *batchWriter {
	n := len(s.records)
	u := &batchWriter{
		Tx: tx, packer: packer, batch: s, order: make([]int, n), places: make([][]byte, n), added: make([]bool, n),
	}
	for i := range u.order {
		u.order[i] = i
	}
	slices.SortFunc(u.order, func(a, b int) int {
		return bytes.Compare(s.records[a].Entry.Name[:], s.records[b].Entry.Name[:])
	})
	for _, i := range u.order {
		u.places[i] = bytes.Clone(tx.Rows().Bucket(rows.BucketDigests).Get(s.records[i].Entry.Name[:]))
	}
	return u
}

// placeOf returns the place of a record, or nil if the store does not have it.
func (u *batchWriter) placeOf(name schema.Digest) []byte {
	if i, ok := u.batch.index[name]; ok {
		return u.places[i]
	}
	return u.Rows().Bucket(rows.BucketDigests).Get(name[:])
}

// addRecord writes the i-th record, and reports whether it was missing. restored reports whether it had
// been pruned. With lackingOnly set only pruned records are written.
func (u *batchWriter) addRecord(i int, lackingOnly bool) (written, restored bool, err error) {
	if first, ok := u.batch.alias[i]; ok {
		i = first
	}
	restored = rows.IsTombstone(u.places[i])
	if u.places[i] != nil && !restored || lackingOnly && !restored {
		return false, false, nil
	}
	u.places[i], err = u.Rows().AppendStored(u.batch.records[i].Stored)
	u.added[i] = err == nil
	return u.added[i], restored, err
}

// markPruned writes a tombstone if the index has no entry.
func (u *batchWriter) markPruned(name schema.Digest) error {
	if u.placeOf(name) != nil {
		return nil
	}
	if _, err := u.Rows().PutTombstone(name); err != nil {
		return err
	}
	if i, ok := u.batch.index[name]; ok {
		u.places[i] = rows.Tombstone
	}
	return nil
}

// writeIndex writes the index entries of the added records.
func (u *batchWriter) writeIndex() error {
	for _, i := range u.order {
		if !u.added[i] {
			continue
		}
		if err := u.Rows().PutIndex(u.batch.records[i].Entry.Name, u.places[i]); err != nil {
			return err
		}
	}
	return nil
}
