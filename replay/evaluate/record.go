package evaluate

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// Find returns the recorded evaluation with that spec, nil if there is none.
func (s *Subject) Find(ctx context.Context, spec evaluation.Spec) (found *evaluation.Record, err error) {
	digest, err := evaluation.Digest(s.Link, spec)
	if err != nil {
		return nil, err
	}
	err = s.store.View(ctx, func(tx *tracker.Tx) error {
		at, err := tx.ReadEvaluation(s.Run.ID, s.K, digest)
		if at == nil || err != nil {
			return err
		}
		e, err := Load(tx, *at)
		found = &e
		return err
	})
	if err != nil {
		return nil, err
	}
	return found, nil
}

// Load reads a recorded evaluation and checks it against its digest and link.
func Load(tx *tracker.Tx, at tracker.Evaluation) (evaluation.Record, error) {
	e, err := tracker.Load(tx, at.Record, evaluation.DecodeRecord)
	if err != nil {
		return e, err
	}
	if digest, err := evaluation.Digest(e.Link, e.Spec); err != nil || digest != at.Digest || e.Link != at.Link {
		return e, fmt.Errorf("record %s: %w: it does not hold evaluation %s", at.Record, wire.ErrMalformed,
			at.Digest)
	}
	return e, nil
}

// Record stores an evaluation with its iteration, in place of its parts.
func (s *Subject) Record(ctx context.Context, e evaluation.Record) error {
	record, err := e.Encode()
	if err != nil {
		return err
	}
	at, err := s.rowOf(e.Spec)
	if err != nil {
		return err
	}
	at.Link, at.Record = e.Link, schema.Name(record)
	return s.store.Update(ctx, func(tx *tracker.Tx) error {
		if err := tx.PutEvaluation(at, record); err != nil {
			return err
		}
		return tx.RemoveEvaluationParts(at)
	})
}

// rowOf returns the row of an evaluation without its record.
func (s *Subject) rowOf(spec evaluation.Spec) (at tracker.Evaluation, err error) {
	at = tracker.Evaluation{Run: s.Run.ID, K: s.K, Link: s.Link, Spec: spec}
	at.Digest, err = evaluation.Digest(at.Link, spec)
	return at, err
}
