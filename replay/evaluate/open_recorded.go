package evaluate

import (
	"context"
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// OpenRecorded opens the recorded evaluation of one task of a run whose digest has the given
// prefix, of iteration k or, for −1, of any. An empty prefix requires that there is only one.
func OpenRecorded(
	ctx context.Context, store *tracker.Store, run tracker.Run, k int, beginning string,
) (*Subject, schema.Evaluation, error) {
	return openRecorded(ctx, store, run, k, beginning, false)
}

// OpenMany opens a recorded evaluation of many tasks, like [OpenRecorded].
func OpenMany(
	ctx context.Context, store *tracker.Store, run tracker.Run, k int, beginning string,
) (*Subject, schema.Evaluation, error) {
	return openRecorded(ctx, store, run, k, beginning, true)
}

func openRecorded(
	ctx context.Context, store *tracker.Store, run tracker.Run, k int, beginning string, many bool,
) (*Subject, schema.Evaluation, error) {
	var chosen []tracker.Evaluation
	var e schema.Evaluation
	err := store.View(ctx, func(tx *tracker.Tx) error {
		all, err := tx.ReadEvaluations(run.ID)
		if err != nil {
			return err
		}
		for _, at := range all {
			if (k < 0 || at.K == k) && len(at.Spec.Tasks) > 0 == many && strings.HasPrefix(at.Digest.String(), beginning) {
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
	s, err := Open(ctx, store, run, chosen[0].K, e.Spec.All)
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
