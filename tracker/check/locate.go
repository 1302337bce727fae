package check

import (
	"context"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// reportDamagedRecords reports where the damaged records are listed. It checks them again, since another
// process may have removed, pruned or repaired them.
func (c *checker) reportDamagedRecords(ctx context.Context) error {
	if len(c.bad) == 0 {
		return nil
	}
	return c.eachInShortTxs(ctx, func() int { return len(c.ids) }, func(tx *tracker.Tx, i int) error {
		r := &runCheck{checker: c, tx: tx, id: c.ids[i]}
		_, err := c.catchDamage(func() error { // damage of these rows was reported before
			a, _ := tx.ReadAnnotation(r.id)
			r.name = a.Name
			for row, err := range tx.NamingRows(r.id[:], nil) {
				if err == nil {
					r.reportRecords(row.Iteration(), row.Records)
				}
			}
			return nil
		})
		return err
	})
}

func (r *runCheck) reportRecords(k *int, entries []schema.Entry) {
	for _, e := range entries {
		if why := r.bad[e.Name]; why != "" && !r.isRepaired(e) {
			r.addDamage(Damage{Run: &r.id, Name: r.name, K: k, Kind: string(e.Kind), Digest: &e.Name, Why: why})
		}
	}
}

// isRepaired reports whether a record that was damaged is now valid or pruned.
func (r *runCheck) isRepaired(e schema.Entry) bool {
	return r.store.RecoverDamage(func() error {
		if r.tx.IsPruned(e.Name) {
			return nil
		}
		raw, err := r.tx.ReadRecord(e.Name)
		if err == nil {
			err = schema.CheckRecord(e.Kind, raw)
		}
		return err
	}) == nil
}
