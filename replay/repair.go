package replay

import (
	"context"
	"errors"
	"fmt"
	"syscall"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// RepairedRun is what was done for one run.
type RepairedRun struct {
	RestoreReport
	Rebuilt []int  `json:"remade"` // iterations of which the row was gone, made again
	Failed  string `json:"failed"` // why it could not be repaired, "" where it could
}

// Repair computes again what is missing of a rescued store's runs: iterations
// whose rows are gone, by going on with the run as [Engine.Run] does, and records
// by [Restore]. Only a run that is as it was counts: what was known of its chain
// must come out again. report may be nil.
func Repair(ctx context.Context, r *tracker.Repair, of func(schema.Digest) bool, report func(Event)) ([]RepairedRun, error) {
	var runs []tracker.Run
	err := r.NewStore.View(ctx, func(tx *tracker.Tx) error {
		for run, err := range tx.Runs() {
			if err != nil {
				return err
			}
			runs = append(runs, run)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	gaps := map[schema.Digest]tracker.Gap{}
	for _, g := range r.Report.Gaps {
		gaps[g.Run] = g
	}
	done := []RepairedRun{}
	for _, run := range runs {
		if _, gap := gaps[run.ID]; !gap && !of(run.ID) {
			continue // a run with a gap cannot stay as it is
		}
		repaired, err := repairRun(ctx, r.NewStore, run, gaps, report)
		if err != nil {
			return done, err
		}
		done = append(done, repaired)
	}
	return done, nil
}

func repairRun(ctx context.Context, store *tracker.Store, run tracker.Run, gaps map[schema.Digest]tracker.Gap, report func(Event)) (RepairedRun, error) {
	out := RepairedRun{RestoreReport: RestoreReport{Run: run.ID, Recomputed: []LostRecord{}, Lost: []LostRecord{}}, Rebuilt: []int{}}
	ctx, err := withOwnEnv(ctx, run.Spec.Env)
	if err != nil {
		return out, err
	}
	restored, err := Restore(ctx, store, run, isNotPruned, report)
	if out.RestoreReport = restored; err != nil {
		return out, out.recordFailure(ctx, err)
	}
	gap, found := gaps[run.ID]
	if !found {
		return out, nil
	}
	made, err := out.rebuild(ctx, store, run, gap, report)
	if err = out.recordFailure(ctx, err); err == nil && !made {
		err = store.Update(ctx, func(tx *tracker.Tx) error { return tx.RestoreIterations(gap) })
	}
	return out, err
}

// fail keeps an error that is of the run alone. What the system failed to read or
// to write is not: another attempt can succeed, and a store without what this one
// could not make must not take the old one's place. A run that is at work
// elsewhere stays as far as it is known; nobody else uses the rescued store.
func (r *RepairedRun) recordFailure(ctx context.Context, err error) error {
	var system syscall.Errno
	if err == nil || ctx.Err() != nil || errors.Is(err, tracker.ErrCommit) || errors.As(err, &system) {
		return err
	}
	r.Failed, r.NeedsEnv = err.Error(), r.NeedsEnv || errors.Is(err, ErrNoEnvLauncher)
	if errors.Is(err, ErrUnverifiable) || errors.Is(err, schema.ErrSpec) { // another program can
		r.Failed += ": " + schema.Remedy(err)
	}
	return nil
}

// remake makes iterations from a gap on, and holds them to what is known of the
// chain after it. It reports whether they were made.
func (r *RepairedRun) rebuild(ctx context.Context, store *tracker.Store, run tracker.Run, gap tracker.Gap, report func(Event)) (made bool, err error) {
	if len(r.Lost) > 0 {
		return false, fmt.Errorf("iteration %d cannot be made again: records before it are lost", gap.K)
	}
	w := store.StartWriter(ctx)
	var out Outcome
	NewEngine(store, w, report).Run(ctx, Job{Spec: run.Spec, Start: run.Start, Target: gap.Made}, func(o Outcome) { out = o })
	if err := w.Close(ctx); out.Err == nil { // else it says the same again
		out.Err = err
	}
	if out.Err != nil {
		return false, out.Err
	}
	for k := gap.K; k < gap.Made; k++ {
		r.Rebuilt = append(r.Rebuilt, k)
	}
	return true, store.View(ctx, func(tx *tracker.Tx) error {
		for k, link := range gap.Links {
			it, err := tx.ReadIteration(run.ID, k)
			if err != nil {
				return err
			}
			if it.Link != link {
				return fmt.Errorf("iteration %d was %s and is %s now: %w", k, link, it.Link, tracker.ErrDamaged)
			}
		}
		return nil
	})
}

// ErrRemoved says that a run was removed while something was done with it.
var ErrRemoved = errors.New("it was removed meanwhile")

// Unprune brings a run's pruned records back, and keeps them from now on. Its error is
// [ErrRemoved] where the run is gone by the end, and then nothing of it came back.
func Unprune(ctx context.Context, store *tracker.Store, run tracker.Run, report func(Event)) (RestoreReport, error) {
	restored, err := unprune(ctx, store, run, report)
	there := store.View(ctx, func(tx *tracker.Tx) error { _, err := tx.ReadRun(run.ID); return err })
	if errors.Is(there, tracker.ErrMissing) {
		return RestoreReport{Run: run.ID}, ErrRemoved
	}
	return restored, err
}

func unprune(ctx context.Context, store *tracker.Store, run tracker.Run, report func(Event)) (RestoreReport, error) {
	ctx, err := withOwnEnv(ctx, run.Spec.Env)
	if err != nil {
		return RestoreReport{Run: run.ID}, err
	}
	err = store.Update(ctx, func(tx *tracker.Tx) error {
		return tx.SetRetention(run.ID, tracker.Retention{Kinds: tracker.PrunableKinds})
	})
	if err != nil {
		return RestoreReport{Run: run.ID}, err
	}
	return Restore(ctx, store, run, isPruned, report)
}

func isPruned(why error) bool    { return errors.Is(why, tracker.ErrPruned) }
func isNotPruned(why error) bool { return !isPruned(why) }
