package evaluate

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/repair"
)

// RepairedEvaluation is an evaluation that a repair recomputed, with the recorded digest.
type RepairedEvaluation struct {
	Run    schema.Digest `json:"run"`
	K      int           `json:"k"`
	Digest schema.Digest `json:"evaluation"`
	Record schema.Digest `json:"record"`
}

// Repair recomputes the evaluations whose results a repaired store has lost, after its runs have been repaired, and
// removes them from the list of lost rows. If one cannot be recomputed, it adds the reason. It does so for all runs,
// since the repaired store no longer refers to these evaluations.
func Repair(ctx context.Context, r *repair.Repair) ([]RepairedEvaluation, error) {
	done, lost := []RepairedEvaluation{}, []repair.LostRow{}
	for _, row := range r.Report.Rows {
		if row.Evaluation == nil {
			lost = append(lost, row)
			continue
		}
		switch err := recompute(ctx, r.NewStore, *row.Evaluation); {
		case err == nil:
			done = append(done, RepairedEvaluation{
				Run: row.Evaluation.Run, K: row.Evaluation.K, Digest: row.Evaluation.Digest,
				Record: row.Evaluation.Record,
			})
		case passes(ctx, err):
			return done, err
		default:
			row.What += ": " + err.Error()
			lost = append(lost, row)
		}
	}
	r.Report.Rows = lost
	return done, nil
}

// recompute recomputes an evaluation and stores it if its record has the recorded digest.
func recompute(ctx context.Context, store *tracker.Store, at tracker.Evaluation) error {
	var run tracker.Run
	err := store.View(ctx, func(tx *tracker.Tx) (err error) {
		run, err = tx.ReadRun(at.Run)
		return err
	})
	if err != nil {
		return err
	}
	s, err := Open(ctx, store, run, Choice{Iteration: &at.K, All: at.Spec.All})
	if err != nil {
		return err
	}
	if s.Link != at.Link {
		return fmt.Errorf("it belongs to link %.12s, but the iteration has link %.12s: %w", at.Link, s.Link,
			tracker.ErrDamaged)
	}
	e, err := s.Evaluate(ctx, at.Spec, nil)
	if err != nil {
		return err
	}
	record, err := e.Encode()
	if err != nil {
		return err
	}
	if name := schema.Name(record); name != at.Record {
		return fmt.Errorf("its record was %.12s, recomputed it is %.12s: %w", at.Record, name, tracker.ErrDamaged)
	}
	return s.Record(ctx, e)
}

// passes reports whether an error is a system error or an interruption, so that another attempt
// can succeed.
func passes(ctx context.Context, err error) bool {
	var system syscall.Errno
	return ctx.Err() != nil || errors.Is(err, tracker.ErrCommit) || errors.As(err, &system)
}
