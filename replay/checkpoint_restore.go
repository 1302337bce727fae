package replay

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// restore restores the iteration from a checkpoint.
func (it *iteration) restore(ctx context.Context, store *tracker.Store, c *tracker.Checkpoint) error {
	var at checkpointState
	if err := schema.Unmarshal(c.State, &at); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if at.K != it.runState.k {
		return fmt.Errorf("%w: a checkpoint of iteration %d where %d is next", tracker.ErrDamaged, at.K, it.runState.k)
	}
	if err := it.restoreAgent(ctx, store, c, at); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if at.Cost != nil {
		it.cost = at.Cost
	}
	it.unfactoredState = at.Decomposition
	err := store.View(ctx, func(tx *tracker.Tx) error {
		for _, e := range c.Records {
			if err := it.restoreRecord(tx, schema.Iteration{Records: c.Records}, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || it.isImported() || !pod.HasActions(it.runState.env) || it.stats == nil {
		return err
	}
	return it.verifyAgent()
}

// verifyAgent checks that the recorded steps lead to the agent's state, so that it continues from
// nowhere else.
func (it *iteration) verifyAgent() error {
	options, at := it.agent.Options, &it.agent
	w := newStepVisitor(it.runState.env, options.End(), func(Step) {})
	w.state = it.stats.State()
	if err := w.visitChunk(&it.chunk); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	ended := at.Executing != schema.Primitive && !options.At(at.Executing).CanStart(at.State)
	if w.state != at.State || ended || it.stepsDone() > it.runState.spec().Steps {
		return fmt.Errorf("checkpoint: %w: %d steps lead to state %d, the agent is in %d under option %d",
			schema.ErrMalformed, it.stepsDone(), w.state, at.State, at.Executing)
	}
	return nil
}

func (it *iteration) restoreAgent(
	ctx context.Context, store *tracker.Store, c *tracker.Checkpoint, at checkpointState,
) (err error) {
	if it.agent.Stream, err = pod.RestoreStream(at.Stream); err != nil {
		return err
	}
	if !pod.HasActions(it.runState.env) || it.stats == nil && len(at.Partial) == 0 {
		return nil // there are no actions, or no step was taken yet
	}
	if it.runState.growing() != nil {
		err = it.restoreExternal(ctx, store, c, at)
	} else {
		err = it.restoreEnv(ctx, at)
	}
	if err != nil {
		return err
	}
	if at.State < 0 || at.State >= it.runState.env.States() ||
		at.Executing != schema.Primitive && !it.agent.Options.Has(at.Executing) {
		return fmt.Errorf("%w: state %d under option %d", schema.ErrMalformed, at.State, at.Executing)
	}
	it.agent.State, it.agent.Executing, it.agent.StepsInCall = at.State, at.Executing, at.StepsInCall
	return nil
}

// restoreEnv restores the environment and the unfinished chunk.
func (it *iteration) restoreEnv(ctx context.Context, at checkpointState) (err error) {
	if err := it.startEnv(ctx); err != nil {
		return err
	}
	if w, ok := it.agent.Running.(pod.RestorableEnv); ok {
		if err := w.Restore(ctx, at.Env); err != nil {
			return err
		}
	}
	it.chunk, err = schema.DecodeTransitions(at.Partial)
	return err
}

// restoreRecord reads back a record that a stage had stored.
func (it *iteration) restoreRecord(tx *tracker.Tx, listed schema.Iteration, e schema.Entry) error {
	switch e.Kind {
	case schema.KindTransitions, schema.KindRows:
		if it.isImported() {
			record, err := tx.ReadRecord(e.Name)
			if err == nil {
				_, err = it.addImported(record)
			}
			return err
		}
		t, err := tracker.Load(tx, e.Name, schema.DecodeTransitions)
		if err != nil {
			return err
		}
		it.chunks++
		return it.stats.Add(&t)
	case schema.KindFactors:
		f, err := loadFactors(tx, it.runState.env, it.runState.spec(), e.Name)
		it.factors, it.factored = f, true
		return err
	case schema.KindSelection:
		purposes, err := loadRecordedPurposes(tx, it.runState.spec(), it.runState.k, e.Name, it.factors)
		it.purposes, it.chosen = purposes, true
		return err
	case schema.KindOption:
		env := it.runState.env
		o, err := loadExtended(tx, env, e.Name, listThetas(env, listed), len(it.learned))
		it.learned = append(it.learned, o)
		return err
	}
	return nil
}
