package tracker

import (
	"bytes"
	"context"
	"errors"

	"github.com/podtrack/podtrack/schema"
)

// examination reads what is here of runs that the other store has, too, to find records
// that are damaged or missing here.
type examination struct {
	c     *copier
	group []*reader // left to look at
	k, i  int       // the next iteration and record of the first

	records []packed
	owners  []*reader // of each
	size    int64     // bytes
}

// examine finds what is broken here of the runs' records.
func (c *copier) examine(ctx context.Context, group []*reader) error {
	codec, err := c.to.codec()
	if err != nil {
		return err
	}
	for x := (&examination{c: c, group: group}); err == nil && len(x.group) > 0; {
		x.records, x.owners, x.size = x.records[:0], x.owners[:0], 0
		if err = c.to.turns(ctx, x.read); err == nil {
			err = x.judge(ctx, codec)
		}
	}
	return err
}

// read reads the records of an iteration, or as many as there is room for.
func (x *examination) read(tx *Tx) (more bool, err error) {
	w := x.group[0]
	if w.err != nil || x.k >= min(len(w.here), w.done) {
		x.group, x.k, x.i = x.group[1:], 0, 0
		return len(x.group) > 0, nil
	}
	it, err := tx.Iteration(w.run.ID, x.k)
	if err != nil {
		w.err = refusedHere(err)
		return true, nil
	}
	for ; x.i < len(it.Records) && x.size < maxBatch; x.i++ {
		x.add(tx, w, it.Records[x.i])
	}
	if x.i == len(it.Records) {
		x.k, x.i = x.k+1, 0
	}
	return x.size < maxBatch, nil
}

func (x *examination) add(tx *Tx, w *reader, e schema.Entry) {
	x.size += entrySize
	switch stored, err := tx.stored(e.Name); {
	case errors.Is(err, ErrPruned):
	case err != nil:
		w.breaks(e.Name)
	default:
		x.records, x.owners = append(x.records, packed{entry: e, stored: bytes.Clone(stored)}), append(x.owners, w)
		x.size += int64(len(stored))
	}
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
	if _, err := u.Record(r.entry.Name); err == nil {
		return false, nil
	}
	if seq := u.places[i]; len(seq) == 8 && !u.claimed(seq, r.entry.Name) {
		return true, u.putAt(seq, r.stored)
	}
	u.places[i], err = u.appendStored(r.stored)
	u.fresh[i] = err == nil
	return u.fresh[i], err
}
