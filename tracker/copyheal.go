package tracker

import (
	"bytes"
	"context"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// examination reads what is here of runs that the other store has, too, to find records
// that are damaged or missing here.
type examination struct {
	c     *copier
	group []*reader // whose iterations are to be listed
	k     int       // the next one of the first

	listed  []examined // records that are to be read
	records []packed   // that were read
	owners  []*reader  // of each
	size    int64      // bytes
}

// examined is a record that a run lists here.
type examined struct {
	w     *reader
	entry schema.Entry
	place []byte
}

// maxExamined is how many records an examination looks up at once: sought in order, many of
// them are in one page.
const maxExamined = 1 << 14

// examine finds what is broken here of the runs' records.
func (c *copier) examine(ctx context.Context, group []*reader) error {
	codec, err := c.to.codec()
	if err != nil {
		return err
	}
	for x := (&examination{c: c, group: group}); err == nil && len(x.group) > 0; {
		if err = c.to.turns(ctx, x.list); err == nil {
			err = c.to.View(ctx, x.locate)
		}
		for err == nil && len(x.listed) > 0 {
			x.records, x.owners, x.size = x.records[:0], x.owners[:0], 0
			if err = c.to.turns(ctx, x.read); err == nil {
				err = x.judge(ctx, codec)
			}
		}
	}
	return err
}

// list lists the records of an iteration.
func (x *examination) list(tx *Tx) (more bool, err error) {
	w := x.group[0]
	if w.err != nil || x.k >= min(len(w.here), w.done) {
		x.group, x.k = x.group[1:], 0
		return len(x.group) > 0, nil
	}
	it, err := tx.ReadIteration(w.run.ID, x.k)
	if err != nil {
		w.err = refusedHere(err)
		return true, nil
	}
	for _, e := range it.Records {
		x.listed = append(x.listed, examined{w: w, entry: e})
	}
	x.k++
	return len(x.listed) < maxExamined, nil
}

// locate finds the places of what is listed, in whose order it is read.
func (x *examination) locate(tx *Tx) error {
	slices.SortFunc(x.listed, func(a, b examined) int { return bytes.Compare(a.entry.Name[:], b.entry.Name[:]) })
	there := x.listed[:0]
	for _, at := range x.listed {
		place, err := tx.place(at.entry.Name)
		switch {
		case errors.Is(err, ErrPruned):
		case err != nil:
			at.w.breaks(at.entry.Name)
		default:
			at.place = bytes.Clone(place)
			there = append(there, at)
		}
	}
	x.listed = there
	slices.SortFunc(x.listed, func(a, b examined) int { return bytes.Compare(a.place, b.place) })
	return nil
}

// read reads a record.
func (x *examination) read(tx *Tx) (more bool, err error) {
	if len(x.listed) == 0 {
		return false, nil
	}
	at := x.listed[0]
	x.listed = x.listed[1:]
	if stored := tx.buckets[bucketRecords].Get(at.place); stored == nil {
		at.w.breaks(at.entry.Name)
	} else {
		x.records, x.owners = append(x.records, packed{entry: at.entry, stored: bytes.Clone(stored)}), append(x.owners, at.w)
		x.size += int64(len(stored))
	}
	return x.size < maxBatch, nil
}

// judge proves what was read. What there is no memory for is not judged.
func (x *examination) judge(ctx context.Context, codec *codec) error {
	_, errs, err := x.c.ours.prove(ctx, codec, x.records)
	for i, err := range errs {
		if err != nil && !errors.Is(err, ErrMemory) {
			x.owners[i].breaks(x.records[i].entry.Name)
		}
	}
	return err
}

// breaks notes a record that is damaged or missing here.
func (w *reader) breaks(name schema.Digest) {
	if w.broken == nil {
		w.broken = map[schema.Digest]bool{}
	}
	w.broken[name] = true
}

// heal puts the i-th record where one of that name is damaged or gone, and reports
// whether it still was.
func (u *unloading) heal(i int) (healed bool, err error) {
	if first, ok := u.s.alias[i]; ok {
		i = first
	}
	r := u.s.records[i]
	if u.fresh[i] || isTombstone(u.places[i]) {
		return false, nil
	}
	if _, err := u.ReadRecord(r.entry.Name); err == nil {
		return false, nil
	}
	if seq := u.places[i]; len(seq) == 8 && !u.claimed(seq, r.entry.Name) {
		return true, u.putAt(seq, r.stored)
	}
	u.places[i], err = u.appendStored(r.stored)
	u.fresh[i] = err == nil
	return u.fresh[i], err
}
