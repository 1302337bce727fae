package replay

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// findMissing notes the external stages that were not given. They are not executed; verifyMissing checks their records
// instead.
func (c *comparer) findMissing(ctx context.Context, it *stages.Iteration) error {
	if c.spec.Stages == nil {
		return nil
	}
	funcs, err := it.StageFuncs(ctx)
	if err != nil {
		return err
	}
	for stage, name := range stages.SpecStages {
		if j := c.stages[stage]; c.spec.Stages.Of(name) != nil && !funcs.Has(name) && !j.blocked {
			j.missing = true
			c.setUnverified(stage, pod.NewNoStageError(name, c.spec))
		}
	}
	return nil
}

// verifyMissing checks the constraints on the records of an external stage that was not given. The iteration has the
// recorded results.
func (c *comparer) verifyMissing(ctx context.Context, stage string, it *stages.Iteration) error {
	j := c.stages[stage]
	if !j.missing || j.Verdict != Unverified || c.needsStage == nil && !c.sample.takeNext() {
		return nil
	}
	reason, level := j.Reason, c.spec.LevelWithout(stages.SpecStages[stage])
	j.Verdict = Identical // until something is found
	c.compareCount(stage, it)
	var err error
	switch stage {
	case stages.Collect:
		err = c.verifyCollected(it)
	case stages.Factor:
		err = c.verifyDirections(it)
	case stages.Learn:
		var pruned bool
		if pruned, err = c.concludeAgain(ctx, it); pruned {
			level = schema.Claimed
		}
	case stages.Measure:
		err = c.verifyMeasures(it)
	}
	if err != nil && !errors.Is(err, wire.ErrMalformed) && !errors.Is(err, learn.ErrNoTermination) {
		return err
	}
	switch {
	case err != nil:
		j.Verdict, j.Reason = Different, "its records violate a constraint: "+err.Error()
	case j.Verdict == Identical:
		j.Verdict, j.Level, j.Reason = Unverified, level, reason+"; "+levelReasons[stage][level]
	}
	return nil
}

// levelReasons say what a level means for an external stage that was not executed again.
var levelReasons = map[string]map[schema.Level]string{
	stages.Collect: {
		schema.Verified: "each step is one that the environment and the named option can take",
		schema.Claimed:  "observations cannot be checked; steps within an option take the option's actions",
	},
	stages.Factor: {
		schema.Verified: "D was recomputed; its vectors have length 1, and σ descends",
	},
	stages.Select: {
		schema.Claimed: "why it kept a direction cannot be checked",
	},
	stages.Learn: {
		schema.Verified: "each option follows from the values or weights that it recorded",
		schema.Claimed:  "the values or weights behind its options were pruned",
	},
	stages.Measure: {
		schema.Claimed: "the built-in measures were recomputed; its own cannot be checked",
	},
}

// verifyMeasures recomputes the built-in measures, and verifies that the others are those that the spec declares.
func (c *comparer) verifyMeasures(it *stages.Iteration) error {
	if _, err := it.PutMeasures(); err != nil {
		return err
	}
	name, err := c.recorded.OnlyRecord(schema.KindExternalMeasures)
	if err != nil {
		return err
	}
	record, err := c.records.Read(c.k, name)
	if err != nil {
		return err
	}
	m, err := schema.DecodeExternalMeasures(record)
	if err != nil {
		return err
	}
	if want := len(c.spec.ExternalMeasureNames()); len(m) != want {
		return fmt.Errorf("%w: got %d measures, want %d", wire.ErrMalformed, len(m), want)
	}
	if err := pod.CheckExternalMeasures(c.spec, m); err != nil {
		return fmt.Errorf("%w: %w", wire.ErrMalformed, err)
	}
	return nil
}

// verifyDirections verifies the factors of an external method, apart from what only it can compute.
func (c *comparer) verifyDirections(it *stages.Iteration) error {
	if err := pod.CheckExternalFactors(c.spec, it.Factors); err != nil {
		return fmt.Errorf("%w: %w", wire.ErrMalformed, err)
	}
	if c.datasetErr != nil || c.stages[stages.Collect].lost != nil || it.Stats == nil {
		return nil
	}
	data, err := it.FactoredDataset()
	if err != nil {
		return err
	}
	same := func(a, b schema.SparseRow) bool { return schema.CompareSparseRows(a, b) == 0 }
	if !slices.Equal(data.Counts, it.Factors.Counts) || !slices.EqualFunc(data.Rows, it.Factors.Rows, same) {
		return fmt.Errorf("%w: its rows differ from those of the transitions", wire.ErrMalformed)
	}
	return nil
}

// concludeAgain derives each option from the recorded values or weights, and compares it with the recorded one. It
// reports whether some of these are pruned.
func (c *comparer) concludeAgain(ctx context.Context, it *stages.Iteration) (pruned bool, err error) {
	learned := recorded.LearnedEntries(c.recorded)
	purposes := it.PurposesToLearn()
	if len(learned) != len(purposes) {
		return false, fmt.Errorf("%w: %d purposes, but %d records of values or weights", wire.ErrMalformed, len(purposes),
			len(learned))
	}
	if len(purposes) == 0 {
		return false, nil
	}
	learner, err := it.RunState.NewLearner(it.Stats, nil)
	if err != nil {
		return false, err
	}
	for i, e := range learned {
		if err := ctx.Err(); err != nil {
			return pruned, err
		}
		record, err := c.records.Read(c.k, e.Name)
		if errors.Is(err, tracker.ErrPruned) {
			pruned = true
			continue
		}
		if err == nil {
			err = c.concludeOne(it, learner, i, e.Kind, record)
		}
		if recorded.IsDamage(err) {
			err = c.setDamaged(stages.Learn, fmt.Errorf("%s record %d: %w", e.Kind, i, err))
		}
		if err != nil {
			return pruned, err
		}
	}
	return pruned, nil
}

func (c *comparer) concludeOne(
	it *stages.Iteration, learner learn.OptionLearner, i int, kind schema.Kind, record []byte,
) error {
	l, err := schema.DecodeValueFunction(kind, record)
	if err != nil {
		return err
	}
	o, err := learner.Conclude(it.Purpose(i), l)
	if err != nil {
		return err
	}
	return it.Put(stages.Learn, i, schema.KindOption, o.Encode)
}

// checkRecordedRewards notes damage in rewards that were not recomputed. No stage reads them, so nothing else would
// notice.
func (c *comparer) checkRecordedRewards() error {
	err := recorded.VisitRewards(c.view, c.recorded, c.spec.Steps, func(schema.Rewards) error { return nil })
	if err == nil || !recorded.IsDamage(err) {
		return err
	}
	if r := c.stages[stages.Collect]; r.Verdict != Different {
		r.StageResult = StageResult{
			Stage: stages.Collect, Verdict: Damaged, Reason: fmt.Sprintf("iteration %d, %s: %v", c.k, stages.Collect, err),
		}
	}
	return nil
}

// verifyCollected verifies the recorded transitions of an external collector that was not given.
func (c *comparer) verifyCollected(it *stages.Iteration) error {
	p := it.RunState
	verify := pod.VerifyCollected(p.Env, it.Agent.Options, p.State)
	steps := int64(0)
	for _, name := range c.recorded.RecordsOf(schema.KindTransitions) {
		record, err := c.records.Read(c.k, name)
		if err != nil {
			return err
		}
		t, err := schema.DecodeTransitions(record)
		if err == nil {
			err = verify(&t)
		}
		if err != nil {
			return err
		}
		steps += int64(len(t.Actions))
	}
	if steps != c.spec.Steps {
		return fmt.Errorf("%w: got %d steps, want %d", wire.ErrMalformed, steps, c.spec.Steps)
	}
	return nil
}
