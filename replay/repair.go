package replay

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
	"github.com/podtrack/podtrack/tracker/repair"
)

// RepairedRun reports the repair of one run.
type RepairedRun struct {
	RestoreReport
	Rebuilt []int  `json:"remade"` // iterations whose row was lost and that were computed again
	Failed  string `json:"failed"` // why the repair failed, "" if it did not
}

// Repair recomputes what the runs of a repaired store have lost: iterations without a row, by continuing the run as
// [Engine.Run] does, and records, by [Restore]. A repair counts only if the recomputed run agrees with what is known of
// its chain.
func Repair(
	ctx context.Context, r *repair.Repair, of func(schema.Digest) bool, with Options,
) ([]RepairedRun, error) {
	runs, err := tracker.Read(r.NewStore.Within(ctx), func(tx *tracker.Tx) ([]tracker.Run, error) {
		return tracker.ScanNewest(tx, func(_ *tracker.Tx, run tracker.Run) (tracker.Run, bool, error) {
			return run, true, nil
		})
	})
	if err != nil {
		return nil, err
	}
	gaps := map[schema.Digest]repair.Gap{}
	for _, g := range r.Report.Gaps {
		gaps[g.Run] = g
	}
	done := []RepairedRun{}
	for _, run := range runs {
		if _, gap := gaps[run.ID]; !gap && !of(run.ID) {
			continue // a run with a gap has to be repaired
		}
		repaired, err := repairRun(ctx, r.NewStore, run, gaps, with)
		if err != nil {
			return done, err
		}
		done = append(done, repaired)
	}
	return done, nil
}

func repairRun(
	ctx context.Context, store *tracker.Store, run tracker.Run, gaps map[schema.Digest]repair.Gap, with Options,
) (RepairedRun, error) {
	out := RepairedRun{Rebuilt: []int{}}
	gap, found := gaps[run.ID]
	var made bool
	var err error
	if out.RestoreReport, err = Restore(ctx, store, run, isNotPruned, with); err == nil && found {
		made, err = out.rebuild(ctx, store, run, gap, with)
	}
	if err = out.recordFailure(ctx, run.Spec, err); err == nil && found && !made {
		err = store.Update(ctx, func(tx *tracker.Tx) error { return repair.RestoreIterations(tx, gap) })
	}
	return out, err
}

// recordFailure records an error that concerns the run alone. It returns system errors: another attempt can succeed,
// and an incomplete store must not replace the old one. A run whose external environment or stages were not given stays
// as it is.
func (r *RepairedRun) recordFailure(ctx context.Context, spec schema.Spec, err error) error {
	var system syscall.Errno
	if err == nil || ctx.Err() != nil || errors.Is(err, tracker.ErrCommit) || errors.As(err, &system) {
		return err
	}
	r.Failed = err.Error()
	r.NeedsEnv = r.NeedsEnv || errors.Is(err, stages.ErrNoEnvLauncher) || errors.Is(err, envs.ErrEnvMismatch)
	if errors.Is(err, pod.ErrNoStage) || errors.Is(err, pod.ErrStageMismatch) {
		r.NeedsStages = spec.Stages.Names()
	}
	if errors.Is(err, ErrUnverifiable) || errors.Is(err, schema.ErrSpec) { // say how to repair it elsewhere
		r.Failed += ": " + schema.Remedy(err)
	}
	return nil
}

// rebuild computes iterations from a gap on and compares them with what is known of the chain
// after it. It reports whether they were computed.
func (r *RepairedRun) rebuild(
	ctx context.Context, store *tracker.Store, run tracker.Run, gap repair.Gap, with Options,
) (made bool, err error) {
	if len(r.Lost) > 0 {
		return false, fmt.Errorf("iteration %d cannot be recomputed: earlier records are lost", gap.K)
	}
	job := Job{Spec: run.Spec, Start: run.Start, Target: gap.Made}
	if err := job.CheckSpec(); err != nil {
		return false, err
	}
	w := groupcommit.Start(ctx, store)
	var out Outcome
	NewEngine(store, w, with).Run(ctx, job, func(o Outcome) { out = o })
	if err := w.Close(ctx); out.Err == nil { // else it repeats out.Err
		out.Err = err
	}
	if out.Err != nil {
		return false, out.Err
	}
	for k := gap.K; k < gap.Made; k++ {
		r.Rebuilt = append(r.Rebuilt, k)
	}
	return true, store.View(ctx, func(tx *tracker.Tx) error {
		for k, known := range gap.Known {
			it, err := tx.ReadIteration(run.ID, k)
			if err != nil {
				return err
			}
			if it.Link != known.Link {
				return fmt.Errorf("iteration %d had link %s, recomputed it has %s: %w", k, known.Link,
					it.Link, tracker.ErrDamaged)
			}
		}
		return nil
	})
}

// ErrRemoved is the error of a run that another process removed after it was read.
var ErrRemoved = errors.New("removed meanwhile")

// Unprune restores a run's pruned records and keeps them from now on. It returns [ErrRemoved] if
// the run was removed meanwhile; then nothing was restored.
func Unprune(ctx context.Context, store *tracker.Store, run tracker.Run, with Options) (RestoreReport, error) {
	restored := RestoreReport{Run: run.ID}
	err := store.Update(ctx, func(tx *tracker.Tx) error {
		return tx.SetRetention(run.ID, tracker.Retention{Kinds: tracker.PrunableKinds})
	})
	if errors.Is(err, tracker.ErrMissing) {
		return restored, ErrRemoved // though it may have been created again
	}
	if err == nil {
		restored, err = Restore(ctx, store, run, isPruned, with)
	}
	there := store.View(ctx, func(tx *tracker.Tx) error { _, err := tx.ReadRun(run.ID); return err })
	if errors.Is(there, tracker.ErrMissing) {
		return RestoreReport{Run: run.ID}, ErrRemoved
	}
	return restored, err
}

func isPruned(why error) bool    { return errors.Is(why, tracker.ErrPruned) }
func isNotPruned(why error) bool { return !isPruned(why) }
