package evaluate

import (
	"context"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/tracker"
)

// Recorded selects one of the evaluations of a run. Exactly one must match.
type Recorded struct {
	Iteration *int   // nil for any
	Prefix    string // of its digest
}

// OpenRecorded opens a recorded evaluation of one task.
func OpenRecorded(
	ctx context.Context, store *tracker.Store, run tracker.Run, which Recorded,
) (*Subject, evaluation.Record, error) {
	return openRecorded(ctx, store, run, which, false)
}

// OpenMany opens a recorded evaluation of many tasks, like [OpenRecorded].
func OpenMany(
	ctx context.Context, store *tracker.Store, run tracker.Run, which Recorded,
) (*Subject, evaluation.Record, error) {
	return openRecorded(ctx, store, run, which, true)
}

func openRecorded(
	ctx context.Context, store *tracker.Store, run tracker.Run, which Recorded, many bool,
) (*Subject, evaluation.Record, error) {
	var chosen []tracker.Evaluation
	var e evaluation.Record
	err := store.View(ctx, func(tx *tracker.Tx) error {
		all, err := tx.ReadEvaluations(run.ID)
		if err != nil {
			return err
		}
		for _, at := range all {
			if (which.Iteration == nil || at.K == *which.Iteration) && len(at.Spec.Tasks) > 0 == many &&
				strings.HasPrefix(at.Digest.String(), which.Prefix) {
				chosen = append(chosen, at)
			}
		}
		if err := checkSingle(run, chosen, many); err != nil {
			return err
		}
		e, err = Load(tx, chosen[0])
		return err
	})
	if err != nil {
		return nil, e, err
	}
	s, err := Open(ctx, store, run, Choice{Iteration: &chosen[0].K, All: e.Spec.All})
	return s, e, err
}

func checkSingle(run tracker.Run, chosen []tracker.Evaluation, many bool) error {
	id := run.ID.String()[:12]
	switch {
	case len(chosen) == 0 && many:
		return schema.Advise(fmt.Errorf("evaluation of many tasks of run %s: %w", id, tracker.ErrMissing),
			AdviceEvaluateMany, id, id)
	case len(chosen) == 0:
		return schema.Advise(fmt.Errorf("evaluation of run %s: %w", id, tracker.ErrMissing), AdviceEvaluate, id, id)
	case len(chosen) == 1:
		return nil
	}
	var names []string
	for _, at := range chosen {
		names = append(names, at.Digest.String()[:12])
	}
	return schema.Advise(fmt.Errorf("run %s has %d evaluations", id, len(chosen)),
		AdviceChoose, strings.Join(names, ", "), id)
}
