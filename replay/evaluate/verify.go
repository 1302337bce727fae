package evaluate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/tracker"
)

// Verification is the result of replaying an evaluation.
type Verification struct {
	K         int            `json:"k"`
	Digest    schema.Digest  `json:"evaluation"`
	Identical bool           `json:"identical"`
	Verdict   replay.Verdict `json:"verdict"`
	Reason    string         `json:"reason,omitempty"`
}

// Verify re-executes the recorded evaluations of a run, or of iteration *only if only is not nil, and compares the
// results with the records. It writes nothing.
func Verify(ctx context.Context, store *tracker.Store, run tracker.Run, only *int) ([]Verification, error) {
	var all []tracker.Evaluation
	err := store.View(ctx, func(tx *tracker.Tx) (err error) {
		all, err = tx.ReadEvaluations(run.ID)
		return err
	})
	if err != nil {
		return nil, err
	}
	var judged []Verification
	for _, at := range all {
		if only != nil && at.K != *only {
			continue
		}
		j := Verification{K: at.K, Digest: at.Digest}
		if j.Verdict, j.Reason, err = verifyEvaluation(ctx, store, run, at); err != nil {
			return judged, fmt.Errorf("evaluation %.12s of iteration %d: %w", at.Digest, at.K, err)
		}
		j.Identical = j.Verdict == replay.Identical
		judged = append(judged, j)
	}
	return judged, nil
}

func verifyEvaluation(
	ctx context.Context, store *tracker.Store, run tracker.Run, at tracker.Evaluation,
) (replay.Verdict, string, error) {
	var stored evaluation.Record
	err := store.View(ctx, func(tx *tracker.Tx) (err error) {
		stored, err = Load(tx, at)
		return err
	})
	switch {
	case recorded.IsDamage(err):
		return replay.Damaged, err.Error(), nil
	case err != nil:
		return "", "", err
	}
	s, err := Open(ctx, store, run, Choice{Iteration: &at.K, All: stored.Spec.All})
	switch {
	case errors.Is(err, tracker.ErrPruned), recorded.IsDamage(err):
		return replay.Unverified, "its options cannot be read: " + err.Error(), nil
	case err != nil:
		return "", "", err
	case s.Link != stored.Link:
		return replay.Damaged, fmt.Sprintf("it belongs to link %.12s, but the iteration has link %.12s", stored.Link,
			s.Link), nil
	}
	again, err := s.Evaluate(ctx, stored.Spec, nil)
	switch {
	case errors.Is(err, tracker.ErrPruned), recorded.IsDamage(err):
		return replay.Unverified, "the data that it was learned from cannot be read: " + err.Error(), nil
	case errors.Is(err, schema.ErrSpec), errors.Is(err, envs.ErrModel), errors.Is(err, learn.ErrNoTermination):
		return replay.Different, "it cannot be recomputed: " + err.Error(), nil
	case err != nil:
		return "", "", err
	}
	verdict, reason := compare(stored, again)
	return verdict, reason, nil
}

// compare returns the verdict and the first episode that differs.
func compare(recorded, again evaluation.Record) (replay.Verdict, string) {
	if recorded.Options != again.Options {
		return replay.Different, fmt.Sprintf("recorded for %d options, but there are %d", recorded.Options, again.Options)
	}
	for i := range recorded.Spec.AllTasks() {
		if reason := compareTask(recorded.Task(i), again.Task(i)); reason != "" {
			if len(recorded.Spec.Tasks) > 0 {
				reason = fmt.Sprintf("task %d, %s", i, reason)
			}
			return replay.Different, reason
		}
	}
	return replay.Identical, ""
}

// compareTask returns the first episode of a task that differs, "" if there is none.
func compareTask(recorded, again evaluation.Record) string {
	spec := recorded.Spec
	for arm, a := range spec.Arms() {
		for i, seed := range spec.Seeds {
			x, y := recorded.Curve(arm, i), again.Curve(arm, i)
			p, q := recorded.CurveOfReturns(arm, i), again.CurveOfReturns(arm, i)
			if slices.Equal(x, y) && slices.Equal(p, q) {
				continue
			}
			for episode := range x {
				if x[episode] != y[episode] {
					return fmt.Sprintf("%s, seed %d, episode %d: recorded %d steps, recomputed %d",
						a, seed, episode, x[episode], y[episode])
				}
				if p != nil && p[episode] != q[episode] {
					return fmt.Sprintf("%s, seed %d, episode %d: recorded return %v, recomputed %v",
						a, seed, episode, p[episode], q[episode])
				}
			}
		}
	}
	return ""
}
