package tracker

import (
	"bytes"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// batchWriter is a transaction that writes a shipment. The index of records is in the
// order of digests, which come in no order: so it is looked at once for all of
// them, and written once, each time in its own order.
type batchWriter struct {
	*Tx
	batch  *copyBatch
	order  []int    // the shipment's records by name
	places [][]byte // where each is, nil for nowhere
	added  []bool   // which of those are to go into the index
}

func newBatchWriter(tx *Tx, s *copyBatch) *batchWriter {
	n := len(s.records)
	u := &batchWriter{Tx: tx, batch: s, order: make([]int, n), places: make([][]byte, n), added: make([]bool, n)}
	for i := range u.order {
		u.order[i] = i
	}
	slices.SortFunc(u.order, func(a, b int) int {
		return bytes.Compare(s.records[a].entry.Name[:], s.records[b].entry.Name[:])
	})
	for _, i := range u.order {
		u.places[i] = bytes.Clone(tx.buckets[bucketDigests].Get(s.records[i].entry.Name[:]))
	}
	return u
}

// placeOf is where a record is, nil for nowhere.
func (u *batchWriter) placeOf(name schema.Digest) []byte {
	if i, ok := u.batch.index[name]; ok {
		return u.places[i]
	}
	return u.buckets[bucketDigests].Get(name[:])
}

// addRecord adds the i-th record, unless it is there: then it brings nothing. back says
// that it had been pruned. lackingOnly leaves one alone that was never there.
func (u *batchWriter) addRecord(i int, lackingOnly bool) (brought, back bool, err error) {
	if first, ok := u.batch.alias[i]; ok {
		i = first
	}
	back = isTombstone(u.places[i])
	if u.places[i] != nil && !back || lackingOnly && !back {
		return false, false, nil
	}
	u.places[i], err = u.appendStored(u.batch.records[i].stored)
	u.added[i] = err == nil
	return u.added[i], back, err
}

// markPruned leaves a tombstone where there is nothing.
func (u *batchWriter) markPruned(name schema.Digest) error {
	if u.placeOf(name) != nil {
		return nil
	}
	if _, err := u.putTombstone(name); err != nil {
		return err
	}
	if i, ok := u.batch.index[name]; ok {
		u.places[i] = tombstone
	}
	return nil
}

// writeIndex writes where the records are that came.
func (u *batchWriter) writeIndex() error {
	for _, i := range u.order {
		if !u.added[i] {
			continue
		}
		if err := u.putIndex(u.batch.records[i].entry.Name, u.places[i]); err != nil {
			return err
		}
	}
	return nil
}
