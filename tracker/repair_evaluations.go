package tracker

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
)

// dropEvaluations removes evaluations whose iteration or record is missing, with their records, and
// reports them. They can be recomputed once the iteration exists.
func (s *salvager) dropEvaluations(tx *Tx) error {
	dropped := map[schema.Digest]recordUse{}
	for _, key := range tx.rows.Keys(rows.BucketEvaluations, nil) {
		e, err := decodeEvaluationRow(key, tx.rows.Bucket(rows.BucketEvaluations).Get(key))
		if err != nil {
			return err
		}
		it, err := tx.ReadIteration(e.Run, e.K)
		if err == nil && it.Link == e.Link && tx.HasRecord(e.Record) {
			continue
		}
		s.addLost(rows.BucketEvaluations, key,
			storeerr.Damaged("evaluation %.12s of iteration %d of run %.12s", e.Digest, e.K, e.Run))
		s.report.Rows[len(s.report.Rows)-1].Evaluation = &e
		dropped[e.Record] = unreferenced
		if err := tx.rows.Remove(rows.BucketEvaluations, key); err != nil {
			return err
		}
	}
	if err := (&references{tx: tx}).classify(dropped); err != nil {
		return err
	}
	var removed RemoveReport
	for name, use := range dropped {
		if err := tx.releaseRecord(name, use, &removed); err != nil {
			return err
		}
	}
	return nil
}
