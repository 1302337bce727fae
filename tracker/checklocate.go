package tracker

import (
	"context"

	"github.com/podtrack/podtrack/schema"
)

// locate says where the damaged records are listed, once they were looked at
// again: another process may have removed, pruned or mended them meanwhile.
func (c *checker) locate(ctx context.Context) error {
	if len(c.bad) == 0 {
		return nil
	}
	return c.each(ctx, func() int { return len(c.ids) }, func(tx *Tx, i int) error {
		r := &runCheck{checker: c, tx: tx, id: c.ids[i]}
		_, err := c.attempt(func() error { // what is damaged here was found before
			a, _ := tx.ReadAnnotation(r.id)
			r.name = a.Name
			for key, row := range tx.within(bucketIterations, r.id[:]) {
				k, _ := partNumber(key)
				if it, err := decodeIteration(key, row); err == nil {
					r.list(&k, it.Records)
				}
			}
			for e, err := range tx.evaluations(r.id[:]) {
				if err == nil {
					r.list(&e.K, []schema.Entry{e.entry()})
				}
			}
			if p, err := tx.ReadCheckpoint(r.id); err == nil && p != nil {
				r.list(nil, p.Records)
			}
			return nil
		})
		return err
	})
}

func (r *runCheck) list(k *int, entries []schema.Entry) {
	for _, e := range entries {
		if why := r.bad[e.Name]; why != "" && !r.healed(e) {
			r.add(Damage{Run: &r.id, Name: r.name, K: k, Kind: string(e.Kind), Digest: &e.Name, Why: why})
		}
	}
}

// healed says whether a record that was damaged is good or pruned now.
func (r *runCheck) healed(e schema.Entry) bool {
	return r.store.guard(func() error {
		if isTombstone(r.tx.buckets[bucketDigests].Get(e.Name[:])) {
			return nil
		}
		raw, err := r.tx.ReadRecord(e.Name)
		if err == nil {
			_, err = schema.Decode(e.Kind, raw)
		}
		return err
	}) == nil
}
