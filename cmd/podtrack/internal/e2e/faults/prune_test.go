package faults

import (
	"testing"

	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"

	"github.com/podtrack/podtrack/schema/schematest/e2e"
)

// pruneTo makes the complete runs of a store what they would be if they had been made with that --keep.
func pruneTo(t testing.TB, store, keep string) {
	t.Helper()
	kept, err := report.ParseKeep(keep)
	e2e.Must(t, err)
	e2e.Must(t, tracker.New(store, tracker.Options{}).Update(t.Context(), func(tx *tracker.Tx) error {
		left, gone := map[schema.Digest]bool{}, map[schema.Digest]bool{}
		var ids []schema.Digest
		for run, err := range tx.Runs() {
			e2e.Must(t, err)
			ids = append(ids, run.ID)
			its, err := tx.ReadIterations(run.ID)
			e2e.Must(t, err)
			rule := tracker.NewRetentionRule(run, kept, len(its), false)
			for k, it := range its {
				for _, e := range it.Records {
					map[bool]map[schema.Digest]bool{true: left, false: gone}[rule.Retains(k, e.Kind)][e.Name] = true
				}
			}
		}
		for name := range gone {
			if left[name] || tx.Rows().IsPruned(name) {
				continue
			}
			if _, err := tx.Rows().PutTombstone(name); err != nil {
				return err
			}
		}
		for _, id := range ids {
			e2e.Must(t, tx.SetRetention(id, kept))
		}
		return nil
	}))
}
