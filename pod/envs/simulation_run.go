package envs

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
)

// runningSimulation is a [RunningEnv] and an [io.Closer].
type runningSimulation[O Observed] struct {
	definition *Simulation[O]
	simulator  Simulator[O]
	seen       *ObservedStates
	after      []byte // observation after a step
	before     []byte // the first observation of an episode
}

// Reset implements [RunningEnv].
func (r *runningSimulation[O]) Reset(ctx context.Context) (int, error) {
	if err := r.reset(ctx); err != nil {
		return 0, err
	}
	return r.intern(r.before)
}

func (r *runningSimulation[O]) reset(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o, err := Catch(r.simulator.Reset)
	if err == nil {
		r.before, err = r.appendObservation(r.before[:0], o)
	}
	if err != nil {
		return r.definition.fail(fmt.Errorf("reset: %w", err))
	}
	return nil
}

// Step implements [RunningEnv].
func (r *runningSimulation[O]) Step(ctx context.Context, a int) (result StepResult, err error) {
	if err := ctx.Err(); err != nil {
		return result, err
	}
	o, err := Catch(func() (Outcome[O], error) { return r.simulator.Step(a) })
	if err == nil {
		r.after, err = r.appendObservation(r.after[:0], o.State)
	}
	if err == nil {
		err = r.checkReward(o.Reward)
	}
	if err != nil {
		return result, r.definition.fail(fmt.Errorf("step %q: %w", r.definition.Actions[a], err))
	}
	result.Reward = o.Reward + 0 // −0 + 0 = 0
	switch {
	case o.Terminated:
		result.End = Terminated
	case o.Truncated:
		result.End = Truncated
	}
	if result.End != NotEnded {
		if err := r.reset(ctx); err != nil {
			return StepResult{}, err
		}
	}
	// last, when nothing else can fail
	if result.State, err = r.intern(r.after); err == nil && result.End != NotEnded {
		result.NextStart, err = r.intern(r.before)
	}
	return result, err
}

func (r *runningSimulation[O]) intern(observation []byte) (int, error) {
	s, err := r.seen.Intern(observation)
	if err != nil {
		return 0, r.definition.fail(err)
	}
	return s, nil
}

// Close closes the simulator, if it has anything to close.
func (r *runningSimulation[O]) Close() error {
	c, ok := r.simulator.(io.Closer)
	if !ok {
		return nil
	}
	if _, err := Catch(func() (struct{}, error) { return struct{}{}, c.Close() }); err != nil {
		return r.definition.fail(fmt.Errorf("close: %w", err))
	}
	return nil
}

func (r *runningSimulation[O]) checkReward(reward float64) error {
	switch {
	case math.IsNaN(reward) || math.IsInf(reward, 0):
		return fmt.Errorf("the reward is not finite: %v", reward)
	case reward != 0 && !r.definition.HasReward:
		return fmt.Errorf("got a reward of %v, but the simulation does not set HasReward", reward)
	}
	return nil
}

// errWidth is the error of an observation with a wrong number of elements.
var errWidth = errors.New("wrong number of features")

// appendObservation appends an observation in the form of [ObservedStates] to b, after checking it.
func (r *runningSimulation[O]) appendObservation(b []byte, o O) ([]byte, error) {
	switch o := any(o).(type) {
	case int:
		if o < 0 || o >= r.definition.Size {
			return b, fmt.Errorf("observation %d is not in 0..%d", o, r.definition.Size-1)
		}
		return binary.LittleEndian.AppendUint32(b, uint32(o)), nil
	case []bool:
		if len(o) != len(r.definition.Features) {
			return b, fmt.Errorf("%w: an observation has %d, the simulation %d", errWidth, len(o), len(r.definition.Features))
		}
		bits := make([]uint8, len(o))
		for i, x := range o {
			if x {
				bits[i] = 1
			}
		}
		return AppendBinaryObservation(b, bits), nil
	case []float64:
		if len(o) != len(r.definition.Features) {
			return b, fmt.Errorf("%w: an observation has %d, the simulation %d", errWidth, len(o), len(r.definition.Features))
		}
		for i, x := range o {
			if err := CheckFeature(r.definition.Features[i], x); err != nil {
				return b, err
			}
		}
		return AppendRealObservation(b, o), nil
	}
	return b, errWidth // O has no other types
}
