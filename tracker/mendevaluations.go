package tracker

import "github.com/podtrack/podtrack/schema"

// dropEvaluations removes those whose iteration or record is gone, with their
// records, and says which: they can be made again once the iteration is there.
func (s *salvager) dropEvaluations(tx *Tx) error {
	doomed := map[schema.Digest]use{}
	for _, key := range tx.keys(bucketEvaluations, nil) {
		e, err := decodeEvaluated(key, tx.buckets[bucketEvaluations].Get(key))
		if err != nil {
			return err
		}
		it, err := tx.ReadIteration(e.Run, e.K)
		if err == nil && it.Link == e.Link && tx.HasRecord(e.Record) {
			continue
		}
		s.lose(bucketEvaluations, key, damaged("evaluation %.12s of iteration %d of run %.12s", e.Digest, e.K, e.Run))
		s.out.Rows[len(s.out.Rows)-1].Evaluation = &e
		doomed[e.Record] = unused
		if err := tx.remove(bucketEvaluations, key); err != nil {
			return err
		}
	}
	if err := (&ledger{tx: tx}).weigh(doomed); err != nil {
		return err
	}
	var removed RemoveReport
	for name, use := range doomed {
		if err := tx.settle(name, use, &removed); err != nil {
			return err
		}
	}
	return nil
}
