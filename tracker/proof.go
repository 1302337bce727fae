package tracker

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
)

// A Proof is what a replay found of the stages of an iteration, and was asked to save. It is a statement of whoever
// wrote it: it enters no digest, and no other store takes it over.
type Proof struct {
	Link    schema.Digest           `cbor:"link"` // of the iteration
	Time    int64                   `cbor:"time"` // Unix time in nanoseconds
	Host    string                  `cbor:"host"`
	Program string                  `cbor:"program"` // the podtrack that replayed, for people
	Levels  map[string]schema.Level `cbor:"levels"`  // by stage
}

// IterationProof is the proof of iteration K.
type IterationProof struct {
	K int
	Proof
}

// maxProofStages bounds the stages of a proof.
const maxProofStages = 16

func (p Proof) validate() error {
	if len(p.Levels) == 0 || len(p.Levels) > maxProofStages {
		return fmt.Errorf("proof levels of %d stages: %w", len(p.Levels), ErrInvalid)
	}
	for stage, level := range p.Levels {
		if !slices.Contains(schema.Levels(), level) {
			return fmt.Errorf("proof level %.40q of stage %.40q: %w", level, stage, ErrInvalid)
		}
	}
	return nil
}

// decodeProof decodes a verified row.
func decodeProof(key, value []byte) (p IterationProof, err error) {
	k, ok := rows.PartNumber(key)
	if !ok {
		return p, rows.DamagedError(rows.BucketProofs, key)
	}
	p.K = k
	if p.Proof, err = rows.Decode[Proof](rows.BucketProofs, key, value); err == nil {
		if p.validate() != nil {
			err = rows.DamagedError(rows.BucketProofs, key)
		}
	}
	return p, err
}

// ReadProofs returns the run's proofs, by iteration.
func (t *Tx) ReadProofs(id schema.Digest) (all []IterationProof, err error) {
	for key, row := range t.rows.WithPrefix(rows.BucketProofs, id[:]) {
		value, err := rows.Verify(rows.BucketProofs, key, row)
		if err != nil {
			return all, err
		}
		p, err := decodeProof(key, value)
		if err != nil {
			return all, err
		}
		all = append(all, p)
	}
	return all, t.rows.CheckMisplaced(rows.BucketProofs, id[:])
}

// ReadProof returns the proof of an iteration, or nil if it has none.
func (t *Tx) ReadProof(id schema.Digest, k int) (*Proof, error) {
	key := rows.PartKey(id, k)
	value, err := t.rows.Get(rows.BucketProofs, key)
	if value == nil || err != nil {
		return nil, err
	}
	p, err := decodeProof(key, value)
	if err != nil {
		return nil, err
	}
	return &p.Proof, nil
}

// ReadVerifiedProofs returns the run's proofs, and verifies the link of each.
func (t *Tx) ReadVerifiedProofs(id schema.Digest) ([]IterationProof, error) {
	all, err := t.ReadProofs(id)
	for i, p := range all {
		it, missing := t.ReadIteration(id, p.K)
		if missing != nil || it.Link != p.Link {
			return all[:i], storeerr.Damaged("proof levels of run %.7s are of link %.12s, which iteration %d does not have", id,
				p.Link, p.K)
		}
	}
	return all, err
}

// hasVerifiedProof reports whether an iteration has a proof of its link.
func (t *Tx) hasVerifiedProof(id schema.Digest, k int) bool {
	it, err := t.ReadIteration(id, k)
	if err != nil {
		return false
	}
	p, err := t.ReadProof(id, k)
	return err == nil && p != nil && p.Link == it.Link
}

// PutProof replaces the proof of an iteration, which must have the link that p names. The store has at least format 5
// from then on.
func (t *Tx) PutProof(id schema.Digest, k int, p Proof) error {
	it, err := t.ReadIteration(id, k)
	switch {
	case err != nil:
		return err
	case it.Link != p.Link:
		return fmt.Errorf("proof levels of iteration %d of run %.7s: %w: the iteration has another link now", k, id,
			ErrInvalid)
	}
	if err := p.validate(); err != nil {
		return err
	}
	return rows.Write(t.rows, rows.BucketProofs, rows.PartKey(id, k), p)
}

// RemoveProof removes the proof of an iteration, if it has one.
func (t *Tx) RemoveProof(id schema.Digest, k int) error {
	return t.rows.Remove(rows.BucketProofs, rows.PartKey(id, k))
}
