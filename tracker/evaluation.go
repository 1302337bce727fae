package tracker

import (
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/podtrack/podtrack/schema"
)

// Evaluation is an evaluation that hangs off an iteration: what came of it is in its
// record, which lives as long as the iteration does and is never pruned. What was
// asked is in the row too, so that a lost record can be computed again.
type Evaluation struct {
	Run    schema.Digest
	K      int
	Digest schema.Digest // under which it is found: [schema.EvaluationDigest]
	Link   schema.Digest // of the iteration
	Spec   schema.EvaluationSpec
	Record schema.Digest
}

// entry lists the record as an iteration's row lists its own.
func (e Evaluation) entry() schema.Entry {
	return schema.Entry{Kind: schema.KindEvaluation, Name: e.Record}
}

func (e Evaluation) key() []byte { return append(partKey(e.Run, e.K), e.Digest[:]...) }

type evaluationRow struct {
	Link   schema.Digest `cbor:"link"`
	Record schema.Digest `cbor:"record"`

	Spec schema.EvaluationSpec `cbor:"spec"`
}

// hasDigest says whether a row is of the evaluation of that digest.
func (r evaluationRow) hasDigest(digest schema.Digest) bool {
	of, err := schema.EvaluationDigest(r.Link, r.Spec)
	return err == nil && of == digest
}

// decodeEvaluation holds a verified row to its key.
func decodeEvaluation(key, value []byte) (e Evaluation, err error) {
	if !hasKeySize(bucketEvaluations, key) {
		return e, damagedRowError(bucketEvaluations, key)
	}
	r, err := decodeRow[evaluationRow](bucketEvaluations, key, value)
	const id = len(schema.Digest{})
	e = Evaluation{
		Run: schema.Digest(key[:id]), K: int(binary.BigEndian.Uint32(key[id:])), Digest: schema.Digest(key[id+4:]),
		Link: r.Link, Spec: r.Spec, Record: r.Record,
	}
	if err == nil && !r.hasDigest(e.Digest) {
		err = damagedRowError(bucketEvaluations, key)
	}
	return e, err
}

func decodeEvaluationRow(key, row []byte) (e Evaluation, err error) {
	value, err := verifyRow(bucketEvaluations, key, row)
	if err != nil {
		return e, err
	}
	return decodeEvaluation(key, value)
}

// evaluationRows are the rows whose keys begin with prefix. After an error comes the next.
func (t *Tx) evaluationRows(prefix []byte) iter.Seq2[Evaluation, error] {
	return func(yield func(Evaluation, error) bool) {
		for key, row := range t.rowsWithPrefix(bucketEvaluations, prefix) {
			if !yield(decodeEvaluationRow(key, row)) {
				return
			}
		}
	}
}

// ReadEvaluations are those of a run, by iteration.
func (t *Tx) ReadEvaluations(id schema.Digest) (all []Evaluation, err error) {
	if t.buckets[bucketEvaluations] == nil {
		return nil, nil
	}
	for e, err := range t.evaluationRows(id[:]) {
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, t.checkMisplaced(bucketEvaluations, id[:])
}

// readCheckedEvaluations are the evaluations of a run, each held to its iteration.
func (t *Tx) readCheckedEvaluations(id schema.Digest) ([]Evaluation, error) {
	all, err := t.ReadEvaluations(id)
	for i, e := range all {
		it, missing := t.ReadIteration(id, e.K)
		if missing != nil || it.Link != e.Link {
			return all[:i], damagedError("evaluation %.12s of run %.7s is of link %.12s, which iteration %d does not have", e.Digest, id, e.Link, e.K)
		}
	}
	return all, err
}

// ReadEvaluation is that of an iteration under a digest, nil where there is none.
func (t *Tx) ReadEvaluation(run schema.Digest, k int, digest schema.Digest) (*Evaluation, error) {
	key := Evaluation{Run: run, K: k, Digest: digest}.key()
	value, err := t.getRow(bucketEvaluations, key)
	if value == nil || err != nil {
		return nil, err
	}
	e, err := decodeEvaluation(key, value)
	if err != nil {
		return nil, err
	}
	return &e, nil
}

// PutEvaluation hangs an evaluation off an iteration, which must have the link that
// it names. The store is of format 4 from then on.
func (t *Tx) PutEvaluation(e Evaluation, record []byte) error {
	if e.Record != schema.Name(record) {
		return fmt.Errorf("an evaluation of record %s: %w: its bytes are others", e.Record, ErrInvalid)
	}
	if row := (evaluationRow{Link: e.Link, Spec: e.Spec}); !row.hasDigest(e.Digest) {
		return fmt.Errorf("an evaluation %s: %w: its spec is another's", e.Digest, ErrInvalid)
	}
	it, err := t.ReadIteration(e.Run, e.K)
	if err != nil {
		return err
	}
	if it.Link != e.Link {
		return fmt.Errorf("an evaluation of iteration %d of run %.7s: %w: the iteration has another link now", e.K, e.Run, ErrInvalid)
	}
	c, err := t.store.codec()
	if err != nil {
		return err
	}
	stored, err := c.pack(record)
	if err == nil && !t.HasRecord(e.Record) {
		err = t.appendRecord(e.Record, stored)
	}
	if err != nil {
		return err
	}
	return t.putEvaluationRow(e)
}

// putEvaluationRow writes the row alone.
func (t *Tx) putEvaluationRow(e Evaluation) error {
	if err := t.raiseFormat(formatEvaluations); err != nil {
		return err
	}
	return writeRow(t, bucketEvaluations, e.key(), evaluationRow{Link: e.Link, Spec: e.Spec, Record: e.Record})
}

// missingEvaluations are those of another store that are not here.
func (t *Tx) missingEvaluations(theirs []Evaluation) (unknown []Evaluation, err error) {
	for _, e := range theirs {
		ours, err := t.ReadEvaluation(e.Run, e.K, e.Digest)
		if err != nil {
			return nil, err
		}
		if ours == nil {
			unknown = append(unknown, e)
		}
	}
	return unknown, nil
}
