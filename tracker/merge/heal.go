package merge

import (
	"context"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
	"github.com/podtrack/podtrack/tracker/internal/portion"
)

// findBroken finds the records of the runs that are damaged or missing in the target.
func (c *copier) findBroken(ctx context.Context, group []*runReader) error {
	broken, k := map[schema.Digest]bool{}, 0
	for len(group) > 0 {
		listed := map[schema.Digest]schema.Kind{}
		err := c.to.ViewInShortTxs(ctx, func(tx *tracker.Tx) (more bool, err error) {
			w := group[0]
			w.ourBroken = broken
			if w.err != nil || k >= min(len(w.ourLinks), w.done) {
				group, k = group[1:], 0
				return len(group) > 0, nil
			}
			it, err := tx.ReadIteration(w.run.ID, k)
			if err != nil {
				w.err = refusedHereError(err)
				return true, nil
			}
			for _, e := range it.Records {
				listed[e.Name] = e.Kind
			}
			k++
			return len(listed) < portion.Compared, nil
		})
		if err == nil {
			err = check.FindBroken(ctx, c.to, listed, broken)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
