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
func (w *runningSimulation[O]) Reset(ctx context.Context) (int, error) {
	if err := w.reset(ctx); err != nil {
		return 0, err
	}
	return w.intern(w.before)
}

func (w *runningSimulation[O]) reset(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	o, err := w.resetSimulator()
	if err == nil {
		w.before, err = w.appendObservation(w.before[:0], o)
	}
	if err != nil {
		return w.definition.fail(fmt.Errorf("reset: %w", err))
	}
	return nil
}

func (w *runningSimulation[O]) resetSimulator() (o O, err error) {
	defer CatchPanic(&err)
	return w.simulator.Reset()
}

func (w *runningSimulation[O]) stepSimulator(a int) (o Outcome[O], err error) {
	defer CatchPanic(&err)
	return w.simulator.Step(a)
}

// Step implements [RunningEnv].
func (w *runningSimulation[O]) Step(ctx context.Context, a int) (result StepResult, err error) {
	if err := ctx.Err(); err != nil {
		return result, err
	}
	o, err := w.stepSimulator(a)
	if err == nil {
		w.after, err = w.appendObservation(w.after[:0], o.State)
	}
	if err == nil {
		err = w.checkReward(o.Reward)
	}
	if err != nil {
		return result, w.definition.fail(fmt.Errorf("step %q: %w", w.definition.Actions[a], err))
	}
	result.Reward = o.Reward + 0 // −0 + 0 = 0
	switch {
	case o.Terminated:
		result.End = Terminated
	case o.Truncated:
		result.End = Truncated
	}
	if result.End != NotEnded {
		if err := w.reset(ctx); err != nil {
			return StepResult{}, err
		}
	}
	return w.internResult(result)
}

// internResult makes the observations of a step known, once there is nothing left to fail.
func (w *runningSimulation[O]) internResult(result StepResult) (StepResult, error) {
	var err error
	if result.State, err = w.intern(w.after); err == nil && result.End != NotEnded {
		result.NextStart, err = w.intern(w.before)
	}
	return result, err
}

func (w *runningSimulation[O]) intern(observation []byte) (int, error) {
	s, err := w.seen.Intern(observation)
	if err != nil {
		return 0, w.definition.fail(err)
	}
	return s, nil
}

// Close closes the simulator, if it has anything to close.
func (w *runningSimulation[O]) Close() error {
	c, ok := w.simulator.(io.Closer)
	if !ok {
		return nil
	}
	if err := closeSimulator(c); err != nil {
		return w.definition.fail(fmt.Errorf("close: %w", err))
	}
	return nil
}

func closeSimulator(c io.Closer) (err error) {
	defer CatchPanic(&err)
	return c.Close()
}

func (w *runningSimulation[O]) checkReward(reward float64) error {
	switch {
	case math.IsNaN(reward) || math.IsInf(reward, 0):
		return fmt.Errorf("the reward %v, which is not finite", reward)
	case reward != 0 && !w.definition.HasReward:
		return fmt.Errorf("the reward %v, but the simulation does not declare one: set HasReward", reward)
	}
	return nil
}

// errWidth is the error of an observation that has not one element for each feature.
var errWidth = errors.New("an observation has one element for each feature")

// appendObservation appends an observation in the form of [ObservedStates] to b, after checking it.
func (w *runningSimulation[O]) appendObservation(b []byte, o O) ([]byte, error) {
	switch o := any(o).(type) {
	case int:
		if o < 0 || o >= w.definition.Size {
			return b, fmt.Errorf("the observation %d, which is not from 0 to %d", o, w.definition.Size-1)
		}
		return binary.LittleEndian.AppendUint32(b, uint32(o)), nil
	case []bool:
		if len(o) != len(w.definition.Features) {
			return b, fmt.Errorf("%w: %d, where there are %d", errWidth, len(o), len(w.definition.Features))
		}
		bits := make([]uint8, len(o))
		for i, x := range o {
			if x {
				bits[i] = 1
			}
		}
		return AppendBinaryObservation(b, bits), nil
	case []float64:
		if len(o) != len(w.definition.Features) {
			return b, fmt.Errorf("%w: %d, where there are %d", errWidth, len(o), len(w.definition.Features))
		}
		for i, x := range o {
			if err := CheckFeature(w.definition.Features[i], x); err != nil {
				return b, err
			}
		}
		return AppendRealObservation(b, o), nil
	}
	return b, errWidth // O has no other types
}
