package e2e

import (
	"testing"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Prune makes the complete runs of a store what they would be if they had been made with that --keep.
func Prune(t testing.TB, store, keep string) {
	t.Helper()
	kept, err := report.ParseKeep(keep)
	Must(t, err)
	Must(t, tracker.New(store, tracker.Options{}).Update(t.Context(), func(tx *tracker.Tx) error {
		left, gone := map[schema.Digest]bool{}, map[schema.Digest]bool{}
		var ids []schema.Digest
		for run, err := range tx.Runs() {
			Must(t, err)
			ids = append(ids, run.ID)
			its, err := tx.ReadIterations(run.ID)
			Must(t, err)
			rule := tracker.NewRetentionRule(run, kept, len(its), false)
			for k, it := range its {
				for _, e := range it.Records {
					map[bool]map[schema.Digest]bool{true: left, false: gone}[rule.Retains(k, e.Kind)][e.Name] = true
				}
			}
		}
		for name := range gone {
			if left[name] || tx.IsPruned(name) {
				continue
			}
			if _, err := tx.Rows().PutTombstone(name); err != nil {
				return err
			}
		}
		for _, id := range ids {
			Must(t, tx.SetRetention(id, kept))
		}
		return nil
	}))
}
