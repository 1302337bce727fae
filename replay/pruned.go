package replay

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// isUnavailable reports whether err means that a record is damaged, missing or pruned.
func isUnavailable(err error) bool { return IsDamage(err) || errors.Is(err, tracker.ErrPruned) }

// findPruned notes the stages whose results must be computed regardless of the sample, because
// later stages read them and some of their records are pruned.
func (c *comparer) findPruned(tx *tracker.Tx) error {
	reads := map[schema.Kind]string{
		schema.KindTransitions: StageCollect, schema.KindFactors: StageFactor, schema.KindOption: StageLearn,
	}
	for _, e := range c.recorded.Records {
		if stage, ok := reads[e.Kind]; ok && tx.IsPruned(e.Name) {
			c.prunedStages[stage] = true
		}
	}
	return nil
}

// loadOptions returns the options that an iteration recorded. A pruned option that was recomputed
// with the same digest counts as recorded.
func (c *comparer) loadOptions(tx *tracker.Tx, it *iteration) (options []*schema.Option, err error) {
	for i := range c.recorded.RecordsOf(schema.KindOption) {
		if c.provenOptions[i] && i < len(it.learned) {
			options = append(options, it.learned[i])
			continue
		}
		o, err := loadOptionOf(tx, it.runState.env, c.recorded, i)
		if err != nil {
			return nil, err
		}
		options = append(options, o)
	}
	return options, nil
}

// checkRecords returns an error if a record that the run or fork continues from was pruned: an
// earlier option, or the end of the previous iteration.
func (j Job) checkRecords(ctx context.Context, store *tracker.Store) error {
	err := store.View(ctx, func(tx *tracker.Tx) error {
		id, k, err := j.startPoint(tx)
		if err != nil || k >= j.Target {
			return err
		}
		its, err := tx.ReadIterations(id)
		if err != nil {
			return err
		}
		for i, it := range its[:min(k, len(its))] {
			if err := checkNotPruned(tx, it, i == k-1, j.Spec); err != nil {
				return tracker.WithRepairHint(fmt.Errorf("run %.7s cannot go on from iteration %d: %w", id, k, err),
					id.String()[:12])
			}
		}
		return nil
	})
	if errors.Is(err, tracker.ErrNoStore) {
		return nil
	}
	return err
}

// startPoint returns the run whose iterations the job continues, and their number.
func (j Job) startPoint(tx *tracker.Tx) (id schema.Digest, k int, err error) {
	if id, err = j.ID(); err != nil {
		return id, 0, err
	}
	if k, _, err = tx.ReadHead(id); err == nil && k == 0 && j.Fork != nil {
		return j.Fork.Parent, j.Fork.K, nil
	}
	return id, k, err
}

// checkNotPruned returns an error if a record of the iteration that later ones need was pruned: an
// option, or, for the last iteration, its end and its accumulated data. If the transitions
// themselves accumulate, those of every iteration are needed.
func checkNotPruned(tx *tracker.Tx, it schema.Iteration, last bool, spec schema.Spec) error {
	gathered := spec.Dataset == schema.Cumulative && spec.Method == ""
	for _, e := range it.Records {
		needed := e.Kind == schema.KindOption
		switch e.Kind {
		case schema.KindTransitions:
			needed = last || spec.AccumulatesExperience() || needsAllTransitions(spec)
		case schema.KindFactors:
			needed = last && gathered
		}
		if needed && tx.IsPruned(e.Name) {
			return fmt.Errorf("%s record %.12s: %w", e.Kind, e.Name, tracker.ErrPruned)
		}
	}
	return nil
}

// CheckRecomputable returns an error for a run whose records this program cannot recompute, so
// that it prunes none of them.
func CheckRecomputable(run tracker.Run) error {
	if v := run.Spec.Numerics; v != schema.NumericsVersion {
		return schema.Hint(fmt.Errorf("run %.7s of numerics version %d %w", run.ID, v, ErrUnverifiable),
			"this program computes numerics version %d; use the podtrack that made the run", schema.NumericsVersion)
	}
	if _, err := pod.NewEnvForSpec(run.Spec); err != nil {
		return fmt.Errorf("run %.7s %w: %w", run.ID, ErrUnverifiable, err)
	}
	return nil
}
