package stages

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// EncodeState returns the state of the iteration between two units of work, as CBOR.
func (i *Iteration) EncodeState() ([]byte, error) {
	stream, err := i.Agent.Stream.Save()
	if err != nil {
		return nil, err
	}
	at := checkpointState{
		K: i.RunState.K, Stream: stream, State: i.Agent.State, Executing: i.Agent.Executing,
		StepsInCall: i.Agent.StepsInCall, Held: i.Agent.Held.Action, HeldSteps: i.Agent.Held.Steps, Cost: i.Cost,
	}
	if envs.HasActions(i.RunState.Env) && i.Stats != nil {
		if at.Partial, err = i.chunk.Encode(); err != nil {
			return nil, err
		}
	}
	if w, ok := i.Agent.Running.(envs.RestorableEnv); ok {
		if at.Env, err = w.Save(); err != nil {
			return nil, err
		}
	}
	if i.unfactored != nil {
		if at.Decomposition, err = i.unfactored.State(); err != nil {
			return nil, err
		}
	}
	if err := i.saveObservations(&at); err != nil {
		return nil, err
	}
	if i.HasRewards() && at.Partial != nil {
		if at.Rewards, err = i.rewards.Encode(); err != nil {
			return nil, err
		}
	}
	return wire.Marshal(at)
}

// checkpointState is the part of a checkpoint that its records do not hold. The stage and the learned options follow
// from the records that the checkpoint lists.
type checkpointState struct {
	K         int              `cbor:"k"`
	Stream    []byte           `cbor:"stream"`  // of the agent's draws
	State     int              `cbor:"state"`   // of the environment
	Executing int              `cbor:"force"`   // executing option
	Partial   []byte           `cbor:"partial"` // the unfinished chunk, as a transitions record; empty without actions
	Cost      map[string]int64 `cbor:"cost"`    // nanoseconds a stage

	Decomposition []byte `cbor:"decomposition,omitempty"` // of the factor stage, as package pod saves it

	StepsInCall  int64  `cbor:"called,omitempty"` // steps of its current call
	Held         int    `cbor:"held,omitempty"`   // action that is taken without a decision
	HeldSteps    int64  `cbor:"hold,omitempty"`   // for how many more steps
	Env          []byte `cbor:"world,omitempty"`  // a stochastic environment
	Observations []byte `cbor:"seen,omitempty"`   // that first appear in the unfinished chunk, as an observations record
	Fingerprints []byte `cbor:"prints,omitempty"` // of those observations, if they are too large

	Rewards []byte `cbor:"rewards,omitempty"` // of the steps of the unfinished chunk, as a rewards record
}

// Restore restores the iteration from a checkpoint.
func (i *Iteration) Restore(ctx context.Context, store *tracker.Store, c *tracker.Checkpoint) error {
	var at checkpointState
	if err := wire.Unmarshal(c.State, &at); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if at.K != i.RunState.K {
		return fmt.Errorf("%w: checkpoint of iteration %d, but iteration %d is next", tracker.ErrDamaged, at.K, i.RunState.K)
	}
	if err := i.restoreAgent(ctx, store, c, at); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if at.Cost != nil {
		i.Cost = at.Cost
	}
	i.unfactoredState = at.Decomposition
	err := store.View(ctx, func(tx *tracker.Tx) error {
		for _, e := range c.Records {
			if err := i.restoreRecord(tx, schema.Iteration{Records: c.Records}, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || i.isImported() || !envs.HasActions(i.RunState.Env) || i.Stats == nil {
		return err
	}
	return i.verifyAgent()
}

// verifyAgent checks that the recorded steps lead to the agent's state: a run continued from any other state would be
// wrong without a trace.
func (i *Iteration) verifyAgent() error {
	options, at := i.Agent.Options, &i.Agent
	w := recorded.NewStepVisitor(i.RunState.Env, options.End(), func(recorded.Step) {})
	w.State = i.Stats.State()
	if err := w.VisitChunk(&i.chunk); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	ended := at.Executing != schema.Primitive && options.At(at.Executing).EndsIn(at.State)
	if w.State != at.State || ended || i.StepsDone() > i.RunState.Spec().Steps {
		return fmt.Errorf("checkpoint: %w: %d steps lead to state %d, the agent is in %d under option %d",
			wire.ErrMalformed, i.StepsDone(), w.State, at.State, at.Executing)
	}
	return nil
}

func (i *Iteration) restoreAgent(
	ctx context.Context, store *tracker.Store, c *tracker.Checkpoint, at checkpointState,
) (err error) {
	if i.Agent.Stream, err = rng.RestoreStream(at.Stream); err != nil {
		return err
	}
	if !envs.HasActions(i.RunState.Env) || i.Stats == nil && len(at.Partial) == 0 {
		return nil // there are no actions, or no step was taken yet
	}
	if i.RunState.Growing() != nil {
		err = i.restoreExternal(ctx, store, c, at)
	} else {
		err = i.restoreEnv(ctx, at)
	}
	if err != nil {
		return err
	}
	if at.State < 0 || at.State >= i.RunState.Env.States() ||
		at.Executing != schema.Primitive && !i.Agent.Options.Has(at.Executing) {
		return fmt.Errorf("%w: state %d under option %d", wire.ErrMalformed, at.State, at.Executing)
	}
	if at.Held < 0 || at.Held >= len(i.RunState.Env.Actions()) || at.HeldSteps < 0 ||
		at.HeldSteps > 0 && (i.Agent.Persistence == nil || at.Executing != schema.Primitive) {
		return fmt.Errorf("%w: action %d for %d more steps under option %d", wire.ErrMalformed, at.Held, at.HeldSteps,
			at.Executing)
	}
	i.Agent.State, i.Agent.Executing, i.Agent.StepsInCall = at.State, at.Executing, at.StepsInCall
	i.Agent.Held = collect.Hold{Action: at.Held, Steps: at.HeldSteps}
	return nil
}

// restoreEnv restores the environment and the unfinished chunk.
func (i *Iteration) restoreEnv(ctx context.Context, at checkpointState) (err error) {
	if err := i.startEnv(ctx); err != nil {
		return err
	}
	if w, ok := i.Agent.Running.(envs.RestorableEnv); ok {
		if err := w.Restore(ctx, at.Env); err != nil {
			return err
		}
	}
	i.chunk, err = schema.DecodeTransitions(at.Partial)
	return err
}

// restoreRecord restores the result of a stage from its record.
func (i *Iteration) restoreRecord(tx *tracker.Tx, listed schema.Iteration, e schema.Entry) error {
	switch e.Kind {
	case schema.KindTransitions, schema.KindRows:
		if i.isImported() {
			record, err := tx.ReadRecord(e.Name)
			if err == nil {
				_, err = i.addImported(record)
			}
			return err
		}
		t, err := tracker.Load(tx, e.Name, schema.DecodeTransitions)
		if err != nil {
			return err
		}
		i.Chunks++
		return i.Stats.Add(&t)
	case schema.KindFactors:
		f, err := recorded.LoadFactors(tx, i.RunState.Env, i.RunState.Spec(), listed)
		i.Factors, i.factored = f, true
		return err
	case schema.KindSelection:
		purposes, err := recorded.LoadPurposes(tx, i.RunState.Spec(), listed, i.Factors)
		i.Purposes, i.chosen = purposes, true
		return err
	case schema.KindOption:
		env := i.RunState.Env
		o, err := recorded.LoadExtended(tx, env, e.Name, recorded.ListThetas(env, listed), len(i.Learned))
		i.Learned = append(i.Learned, o)
		return err
	}
	return nil
}
