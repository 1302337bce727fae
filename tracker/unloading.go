package tracker

import (
	"bytes"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// unloading is a transaction that writes a shipment. The index of records is in the
// order of digests, which come in no order: so it is looked at once for all of
// them, and written once, each time in its own order.
type unloading struct {
	*Tx
	s      *shipment
	order  []int    // the shipment's records by name
	places [][]byte // where each is, nil for nowhere
	fresh  []bool   // which of those are to go into the index
}

func newUnloading(tx *Tx, s *shipment) *unloading {
	n := len(s.records)
	u := &unloading{Tx: tx, s: s, order: make([]int, n), places: make([][]byte, n), fresh: make([]bool, n)}
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

// here is where a record is, nil for nowhere.
func (u *unloading) here(name schema.Digest) []byte {
	if i, ok := u.s.index[name]; ok {
		return u.places[i]
	}
	return u.buckets[bucketDigests].Get(name[:])
}

// bring adds the i-th record, unless it is there: then it brings nothing. back says
// that it had been pruned. lackingOnly leaves one alone that was never there.
func (u *unloading) bring(i int, lackingOnly bool) (brought, back bool, err error) {
	if first, ok := u.s.alias[i]; ok {
		i = first
	}
	back = isTombstone(u.places[i])
	if u.places[i] != nil && !back || lackingOnly && !back {
		return false, false, nil
	}
	u.places[i], err = u.appendStored(u.s.records[i].stored)
	u.fresh[i] = err == nil
	return u.fresh[i], back, err
}

// bury leaves a tombstone where there is nothing.
func (u *unloading) bury(name schema.Digest) error {
	if u.here(name) != nil {
		return nil
	}
	if _, err := u.entomb(name); err != nil {
		return err
	}
	if i, ok := u.s.index[name]; ok {
		u.places[i] = tombstone
	}
	return nil
}

// index writes where the records are that came.
func (u *unloading) index() error {
	for _, i := range u.order {
		if !u.fresh[i] {
			continue
		}
		if err := u.putIndex(u.s.records[i].entry.Name, u.places[i]); err != nil {
			return err
		}
	}
	return nil
}
