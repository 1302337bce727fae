package tracker

import (
	"encoding/binary"
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// An Evaluation is an evaluation of an iteration. Its record holds the result, exists as long as the iteration
// and is never pruned. The row also has the spec, so that a lost record can be computed again.
type Evaluation struct {
	Run    schema.Digest
	K      int
	Digest schema.Digest // the key: [evaluation.Digest]
	Link   schema.Digest // of the iteration
	Spec   evaluation.Spec
	Record schema.Digest
}

// Entry returns the record as an iteration's row would list it.
func (e Evaluation) Entry() schema.Entry {
	return schema.Entry{Kind: schema.KindEvaluation, Name: e.Record}
}

func (e Evaluation) key() []byte { return append(rows.PartKey(e.Run, e.K), e.Digest[:]...) }

type evaluationRow struct {
	Link   schema.Digest `cbor:"link"`
	Record schema.Digest `cbor:"record"`

	Spec evaluation.Spec `cbor:"spec"`
}

// hasDigest reports whether the row belongs to the evaluation with that digest.
func (e evaluationRow) hasDigest(digest schema.Digest) bool {
	of, err := evaluation.Digest(e.Link, e.Spec)
	return err == nil && of == digest
}

// decodeEvaluation decodes a verified row and checks it against its key.
func decodeEvaluation(key, value []byte) (e Evaluation, err error) {
	if !rows.HasKeySize(rows.BucketEvaluations, key) {
		return e, rows.DamagedError(rows.BucketEvaluations, key)
	}
	r, err := rows.Decode[evaluationRow](rows.BucketEvaluations, key, value)
	const id = len(schema.Digest{})
	e = Evaluation{
		Run: schema.Digest(key[:id]), K: int(binary.BigEndian.Uint32(key[id:])), Digest: schema.Digest(key[id+4:]),
		Link: r.Link, Spec: r.Spec, Record: r.Record,
	}
	if err == nil && !r.hasDigest(e.Digest) {
		err = rows.DamagedError(rows.BucketEvaluations, key)
	}
	return e, err
}

// DecodeEvaluationRow verifies and decodes a row of bucket evaluations.
func DecodeEvaluationRow(key, row []byte) (e Evaluation, err error) {
	value, err := rows.Verify(rows.BucketEvaluations, key, row)
	if err != nil {
		return e, err
	}
	return decodeEvaluation(key, value)
}

// ReadEvaluations returns the evaluations of a run, by iteration.
func (t *Tx) ReadEvaluations(id schema.Digest) (all []Evaluation, err error) {
	for key, row := range t.rows.WithPrefix(rows.BucketEvaluations, id[:]) {
		e, err := DecodeEvaluationRow(key, row)
		if err != nil {
			return all, err
		}
		all = append(all, e)
	}
	return all, t.rows.CheckMisplaced(rows.BucketEvaluations, id[:])
}

// ReadVerifiedEvaluations returns the evaluations of a run, and verifies the link of each.
func (t *Tx) ReadVerifiedEvaluations(id schema.Digest) ([]Evaluation, error) {
	all, err := t.ReadEvaluations(id)
	for i, e := range all {
		it, missing := t.ReadIteration(id, e.K)
		if missing != nil || it.Link != e.Link {
			return all[:i], storeerr.Damaged("evaluation %.12s of run %.7s is of link %.12s, which iteration %d "+
				"does not have", e.Digest, id, e.Link, e.K)
		}
	}
	return all, err
}

// ReadEvaluation returns the evaluation of an iteration with that digest, or nil if it does not exist.
func (t *Tx) ReadEvaluation(run schema.Digest, k int, digest schema.Digest) (*Evaluation, error) {
	key := Evaluation{Run: run, K: k, Digest: digest}.key()
	value, err := t.rows.Get(rows.BucketEvaluations, key)
	if value == nil || err != nil {
		return nil, err
	}
	e, err := decodeEvaluation(key, value)
	if err != nil {
		return nil, err
	}
	return &e, nil
}

// PutEvaluation adds an evaluation to an iteration, which must have the link that e names.
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
	c, err := t.store.Codec()
	if err != nil {
		return err
	}
	stored, err := c.Pack(record)
	if err == nil && !t.HasRecord(e.Record) {
		err = t.rows.AppendRecord(e.Record, stored)
	}
	if err != nil {
		return err
	}
	return t.PutEvaluationRow(e)
}

// PutEvaluationRow writes the row without the record.
func (t *Tx) PutEvaluationRow(e Evaluation) error {
	row := evaluationRow{Link: e.Link, Spec: e.Spec, Record: e.Record}
	return rows.Write(t.rows, rows.BucketEvaluations, e.key(), row)
}
