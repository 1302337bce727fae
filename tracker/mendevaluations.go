package tracker

import "github.com/podtrack/podtrack/schema"

// dropEvaluations removes those whose iteration or record is gone, with their
// records. They can be made again once the iteration is there.
func (s *salvager) dropEvaluations(tx *Tx) error {
	doomed := map[schema.Digest]use{}
	for _, key := range tx.keys(bucketEvaluations, nil) {
		e, err := decodeEvaluated(key, tx.buckets[bucketEvaluations].Get(key))
		if err != nil {
			return err
		}
		it, err := tx.Iteration(e.Run, e.K)
		if err == nil && it.Link == e.Link && tx.Has(e.Record) {
			continue
		}
		s.lose(bucketEvaluations, key, damaged("an evaluation of iteration %d of run %.12s, which podtrack evaluate can make again", e.K, e.Run))
		doomed[e.Record] = unused
		if err := tx.remove(bucketEvaluations, key); err != nil {
			return err
		}
	}
	if err := (&ledger{tx: tx}).weigh(doomed); err != nil {
		return err
	}
	_, err := tx.settle(doomed)
	return err
}
