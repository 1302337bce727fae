package tracker

import (
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/podtrack/podtrack/schema"
)

// Evaluation is an evaluation of an iteration. Its record holds the result, exists as long as the
// iteration and is never pruned. The row also has the spec, so that a lost record can be computed
// again.
type Evaluation struct {
	Run    schema.Digest
	K      int
	Digest schema.Digest // the key: [schema.EvaluationDigest]
	Link   schema.Digest // of the iteration
	Spec   schema.EvaluationSpec
	Record schema.Digest
}

// entry returns the record as an iteration's row would list it.
func (e Evaluation) entry() schema.Entry {
	return schema.Entry{Kind: schema.KindEvaluation, Name: e.Record}
}

func (e Evaluation) key() []byte { return append(partKey(e.Run, e.K), e.Digest[:]...) }

type evaluationRow struct {
	Link   schema.Digest `cbor:"link"`
	Record schema.Digest `cbor:"record"`

	Spec schema.EvaluationSpec `cbor:"spec"`
}

// hasDigest reports whether the row is that of the evaluation with that digest.
func (r evaluationRow) hasDigest(digest schema.Digest) bool {
	of, err := schema.EvaluationDigest(r.Link, r.Spec)
	return err == nil && of == digest
}

// decodeEvaluation decodes a verified row and checks it against its key.
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

// evaluationRows yields the evaluations whose keys begin with prefix. It continues after an error.
func (t *Tx) evaluationRows(prefix []byte) iter.Seq2[Evaluation, error] {
	return func(yield func(Evaluation, error) bool) {
		for key, row := range t.rowsWithPrefix(bucketEvaluations, prefix) {
			if !yield(decodeEvaluationRow(key, row)) {
				return
			}
		}
	}
}

// ReadEvaluations returns the evaluations of a run, by iteration.
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

// readCheckedEvaluations returns the evaluations of a run, and verifies the link of each.
func (t *Tx) readCheckedEvaluations(id schema.Digest) ([]Evaluation, error) {
	all, err := t.ReadEvaluations(id)
	for i, e := range all {
		it, missing := t.ReadIteration(id, e.K)
		if missing != nil || it.Link != e.Link {
			return all[:i], damagedError("evaluation %.12s of run %.7s is of link %.12s, which iteration %d does not "+
				"have", e.Digest, id, e.Link, e.K)
		}
	}
	return all, err
}

// ReadEvaluation returns the evaluation of an iteration with that digest, or nil if there is none.
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

// PutEvaluation adds an evaluation to an iteration, which must have the link that e names. The
// store has at least format 4 from then on.
func (t *Tx) PutEvaluation(e Evaluation, record []byte) error {
	if e.Record != schema.Name(record) {
		return fmt.Errorf("an evaluation of record %s: %w: its bytes differ", e.Record, ErrInvalid)
	}
	if row := (evaluationRow{Link: e.Link, Spec: e.Spec}); !row.hasDigest(e.Digest) {
		return fmt.Errorf("an evaluation %s: %w: its spec does not match", e.Digest, ErrInvalid)
	}
	it, err := t.ReadIteration(e.Run, e.K)
	if err != nil {
		return err
	}
	if it.Link != e.Link {
		return fmt.Errorf("an evaluation of iteration %d of run %.7s: %w: the iteration has another link now", e.K,
			e.Run, ErrInvalid)
	}
	c, err := t.store.codec()
	if err != nil {
		return err
	}
	stored, err := c.Pack(record)
	if err == nil && !t.HasRecord(e.Record) {
		err = t.appendRecord(e.Record, stored)
	}
	if err != nil {
		return err
	}
	return t.putEvaluationRow(e)
}

// putEvaluationRow writes the row without the record.
func (t *Tx) putEvaluationRow(e Evaluation) error {
	if err := t.raiseFormat(formatEvaluations); err != nil {
		return err
	}
	return writeRow(t, bucketEvaluations, e.key(), evaluationRow{Link: e.Link, Spec: e.Spec, Record: e.Record})
}

// missingEvaluations returns those of another store's evaluations that this store lacks.
func (t *Tx) missingEvaluations(theirs []Evaluation) (missing []Evaluation, err error) {
	for _, e := range theirs {
		ours, err := t.ReadEvaluation(e.Run, e.K, e.Digest)
		if err != nil {
			return nil, err
		}
		if ours == nil {
			missing = append(missing, e)
		}
	}
	return missing, nil
}
