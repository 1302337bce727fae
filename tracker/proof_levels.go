package tracker

import "github.com/podtrack/podtrack/schema"

// proofLevels is a row of bucket proofs: how far the records of iteration k have been verified.
// This program neither writes such rows nor interprets them, but copies them with the iteration.
type proofLevels struct {
	k     int
	value []byte
}

// readProofs returns copies of the run's proof levels, by iteration.
func (t *Tx) readProofs(id schema.Digest) (all []proofLevels, err error) {
	if t.buckets[bucketProofs] == nil {
		return nil, nil
	}
	for key, row := range t.rowsWithPrefix(bucketProofs, id[:]) {
		k, ok := partNumber(key)
		value, err := verifyRow(bucketProofs, key, row)
		if err == nil && !ok {
			err = damagedRowError(bucketProofs, key)
		}
		if err != nil {
			return all, err
		}
		all = append(all, proofLevels{k, append([]byte(nil), value...)})
	}
	return all, t.checkMisplaced(bucketProofs, id[:])
}

// missingProofs returns those of another store's proof levels that this store lacks.
func (t *Tx) missingProofs(id schema.Digest, theirs []proofLevels) (unknown []proofLevels) {
	for _, p := range theirs {
		if b := t.buckets[bucketProofs]; b == nil || b.Get(partKey(id, p.k)) == nil {
			unknown = append(unknown, p)
		}
	}
	return unknown
}

// putProofs writes proof levels of existing iterations.
func (t *Tx) putProofs(id schema.Digest, proofs []proofLevels) error {
	for _, p := range proofs {
		if err := t.putVerifiedRow(bucketProofs, partKey(id, p.k), p.value); err != nil {
			return err
		}
	}
	return nil
}
