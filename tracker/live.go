package tracker

import (
	"encoding/binary"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// live are the records that rows name, by sequence.
type live struct {
	everything bool
	sequences  []uint64 // ascending
}

func (l live) has(seq []byte) bool {
	if l.everything || len(seq) != 8 {
		return true
	}
	_, found := slices.BinarySearch(l.sequences, binary.BigEndian.Uint64(seq))
	return found
}

// live reads all rows that name records. One that cannot be read might name
// anything, so then nothing is left behind.
func (t *Tx) live() (l live) {
	for key, row := range t.within(bucketIterations, nil) {
		it, err := decodeIteration(key, row)
		if err != nil {
			return live{everything: true}
		}
		l.add(t, it.Records)
	}
	for key, row := range t.within(bucketCheckpoints, nil) {
		c, err := decodeCheckpoint(key, row)
		if err != nil {
			return live{everything: true}
		}
		l.add(t, c.Records)
	}
	for e, err := range t.evaluations(nil) {
		if err != nil {
			return live{everything: true}
		}
		l.add(t, []schema.Entry{e.entry()})
	}
	slices.Sort(l.sequences)
	l.sequences = slices.Compact(l.sequences)
	return l
}

func (l *live) add(t *Tx, entries []schema.Entry) {
	for _, e := range entries {
		if seq := t.buckets[bucketDigests].Get(e.Name[:]); len(seq) == 8 {
			l.sequences = append(l.sequences, binary.BigEndian.Uint64(seq))
		}
	}
}
