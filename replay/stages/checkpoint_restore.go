package stages

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// Restore restores the iteration from a checkpoint.
func (it *Iteration) Restore(ctx context.Context, store *tracker.Store, c *tracker.Checkpoint) error {
	var at checkpointState
	if err := wire.Unmarshal(c.State, &at); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if at.K != it.RunState.K {
		return fmt.Errorf("%w: checkpoint of iteration %d, but iteration %d is next", tracker.ErrDamaged, at.K, it.RunState.K)
	}
	if err := it.restoreAgent(ctx, store, c, at); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if at.Cost != nil {
		it.Cost = at.Cost
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
	if err != nil || it.isImported() || !envs.HasActions(it.RunState.Env) || it.Stats == nil {
		return err
	}
	return it.verifyAgent()
}

// verifyAgent checks that the recorded steps lead to the agent's state: a run continued from any other state would be
// wrong without a trace.
func (it *Iteration) verifyAgent() error {
	options, at := it.Agent.Options, &it.Agent
	w := recorded.NewStepVisitor(it.RunState.Env, options.End(), func(recorded.Step) {})
	w.State = it.Stats.State()
	if err := w.VisitChunk(&it.chunk); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	ended := at.Executing != schema.Primitive && !options.At(at.Executing).CanStart(at.State)
	if w.State != at.State || ended || it.StepsDone() > it.RunState.Spec().Steps {
		return fmt.Errorf("checkpoint: %w: %d steps lead to state %d, the agent is in %d under option %d",
			wire.ErrMalformed, it.StepsDone(), w.State, at.State, at.Executing)
	}
	return nil
}

func (it *Iteration) restoreAgent(
	ctx context.Context, store *tracker.Store, c *tracker.Checkpoint, at checkpointState,
) (err error) {
	if it.Agent.Stream, err = rng.RestoreStream(at.Stream); err != nil {
		return err
	}
	if !envs.HasActions(it.RunState.Env) || it.Stats == nil && len(at.Partial) == 0 {
		return nil // there are no actions, or no step was taken yet
	}
	if it.RunState.Growing() != nil {
		err = it.restoreExternal(ctx, store, c, at)
	} else {
		err = it.restoreEnv(ctx, at)
	}
	if err != nil {
		return err
	}
	if at.State < 0 || at.State >= it.RunState.Env.States() ||
		at.Executing != schema.Primitive && !it.Agent.Options.Has(at.Executing) {
		return fmt.Errorf("%w: state %d under option %d", wire.ErrMalformed, at.State, at.Executing)
	}
	it.Agent.State, it.Agent.Executing, it.Agent.StepsInCall = at.State, at.Executing, at.StepsInCall
	return nil
}

// restoreEnv restores the environment and the unfinished chunk.
func (it *Iteration) restoreEnv(ctx context.Context, at checkpointState) (err error) {
	if err := it.startEnv(ctx); err != nil {
		return err
	}
	if w, ok := it.Agent.Running.(envs.RestorableEnv); ok {
		if err := w.Restore(ctx, at.Env); err != nil {
			return err
		}
	}
	it.chunk, err = schema.DecodeTransitions(at.Partial)
	return err
}

// restoreRecord restores the result of a stage from its record.
func (it *Iteration) restoreRecord(tx *tracker.Tx, listed schema.Iteration, e schema.Entry) error {
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
		it.Chunks++
		return it.Stats.Add(&t)
	case schema.KindFactors:
		f, err := recorded.LoadFactors(tx, it.RunState.Env, it.RunState.Spec(), e.Name)
		it.Factors, it.factored = f, true
		return err
	case schema.KindSelection:
		purposes, err := recorded.LoadRecordedPurposes(tx, it.RunState.Spec(), it.RunState.K, e.Name, it.Factors)
		it.Purposes, it.chosen = purposes, true
		return err
	case schema.KindOption:
		env := it.RunState.Env
		o, err := recorded.LoadExtended(tx, env, e.Name, recorded.ListThetas(env, listed), len(it.Learned))
		it.Learned = append(it.Learned, o)
		return err
	}
	return nil
}
