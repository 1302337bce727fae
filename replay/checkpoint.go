package replay

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// position is where in an iteration a checkpoint was made. The stage and what
// was learned follow from the records that the checkpoint lists.
type position struct {
	K       int              `cbor:"k"`
	Stream  []byte           `cbor:"stream"`  // of the agent's draws
	State   int              `cbor:"state"`   // of the environment
	Force   int              `cbor:"force"`   // option in force
	Partial []byte           `cbor:"partial"` // the unfinished chunk, as a transitions record; empty where nobody walks
	Cost    map[string]int64 `cbor:"cost"`    // nanoseconds a stage

	Called int64  `cbor:"called,omitempty"` // steps of the option in force
	World  []byte `cbor:"world,omitempty"`  // the environment, where chance has a part in it
	Seen   []byte `cbor:"seen,omitempty"`   // what the unfinished chunk first saw, as an observations record
	Prints []byte `cbor:"prints,omitempty"` // or its fingerprints
}

// position is the iteration's, between units of work.
func (it *iteration) position() ([]byte, error) {
	stream, err := it.agent.Stream.Save()
	if err != nil {
		return nil, err
	}
	at := position{K: it.prefix.k, Stream: stream, State: it.agent.State, Force: it.agent.Executing, Called: it.agent.StepsInCall, Cost: it.cost}
	if pod.HasActions(it.prefix.env) && it.tally != nil {
		if at.Partial, err = it.chunk.Encode(); err != nil {
			return nil, err
		}
	}
	if w, ok := it.agent.World.(pod.RestorableEnv); ok {
		if at.World, err = w.Save(); err != nil {
			return nil, err
		}
	}
	if err := it.unrecorded(&at); err != nil {
		return nil, err
	}
	return schema.Marshal(at)
}

// restore brings the iteration back to where a checkpoint was made.
func (it *iteration) restore(ctx context.Context, store *tracker.Store, c *tracker.Checkpoint) error {
	var at position
	if err := schema.Unmarshal(c.State, &at); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if at.K != it.prefix.k {
		return fmt.Errorf("%w: a checkpoint of iteration %d where %d is next", tracker.ErrDamaged, at.K, it.prefix.k)
	}
	if err := it.restoreAgent(ctx, store, c, at); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	if at.Cost != nil {
		it.cost = at.Cost
	}
	err := store.View(ctx, func(tx *tracker.Tx) error {
		for _, e := range c.Records {
			if err := it.restoreRecord(tx, schema.Iteration{Records: c.Records}, e); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil || it.isGiven() || !pod.HasActions(it.prefix.env) || it.tally == nil {
		return err
	}
	return it.verifyAgent()
}

// verifyAgent holds the agent to the steps that lead to it, so that it goes on
// from nowhere else.
func (it *iteration) verifyAgent() error {
	options, at := it.prefix.options, &it.agent
	w := stepper{env: it.prefix.env, options: len(options), visit: func(Step) {}, force: schema.Primitive, state: it.tally.State()}
	if err := w.chunk(&it.chunk); err != nil {
		return fmt.Errorf("checkpoint: %w", err)
	}
	ended := at.Executing != schema.Primitive && !options[at.Executing].CanStart(at.State)
	if w.state != at.State || ended || it.collected() > it.prefix.spec().Steps {
		return fmt.Errorf("checkpoint: %w: %d steps lead to state %d, the agent is in %d under option %d",
			schema.ErrMalformed, it.collected(), w.state, at.State, at.Executing)
	}
	return nil
}

func (it *iteration) restoreAgent(ctx context.Context, store *tracker.Store, c *tracker.Checkpoint, at position) (err error) {
	if it.agent.Stream, err = pod.RestoreStream(at.Stream); err != nil {
		return err
	}
	if !pod.HasActions(it.prefix.env) || it.tally == nil && len(at.Partial) == 0 {
		return nil // nobody walks, or nothing was walked yet
	}
	if it.prefix.external() != nil {
		err = it.restoreOutside(ctx, store, c, at)
	} else {
		err = it.restoreWorld(ctx, at)
	}
	if err != nil {
		return err
	}
	if at.State < 0 || at.State >= it.prefix.env.States() || at.Force < schema.Primitive || at.Force >= len(it.prefix.options) {
		return fmt.Errorf("%w: state %d under option %d", schema.ErrMalformed, at.State, at.Force)
	}
	it.agent.State, it.agent.Executing, it.agent.StepsInCall = at.State, at.Force, at.Called
	return nil
}

// restoreWorld brings back the environment and the unfinished chunk.
func (it *iteration) restoreWorld(ctx context.Context, at position) (err error) {
	if err := it.enter(ctx); err != nil {
		return err
	}
	if w, ok := it.agent.World.(pod.RestorableEnv); ok {
		if err := w.Restore(ctx, at.World); err != nil {
			return err
		}
	}
	it.chunk, err = schema.DecodeTransitions(at.Partial)
	return err
}

// restoreRecord reads back what a stage had recorded.
func (it *iteration) restoreRecord(tx *tracker.Tx, listed schema.Iteration, e schema.Entry) error {
	switch e.Kind {
	case schema.KindTransitions, schema.KindRows:
		if it.isGiven() {
			record, err := tx.ReadRecord(e.Name)
			if err == nil {
				_, err = it.accept(record)
			}
			return err
		}
		t, err := tracker.Load(tx, e.Name, schema.DecodeTransitions)
		if err != nil {
			return err
		}
		it.chunks++
		return it.tally.Add(&t)
	case schema.KindFactors:
		f, err := loadFactors(tx, it.prefix.env, e.Name)
		it.factors, it.factored = f, true
		return err
	case schema.KindSelection:
		purposes, err := loadRecordedPurposes(tx, it.prefix.spec(), e.Name, it.factors)
		it.purposes, it.chosen = purposes, true
		return err
	case schema.KindOption:
		o, err := loadOptionOf(tx, it.prefix.env, listed, len(it.learned))
		it.learned = append(it.learned, o)
		return err
	}
	return nil
}
