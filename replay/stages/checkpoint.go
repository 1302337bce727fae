package stages

import (
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema/wire"
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
	if err := i.saveRewards(&at); err != nil {
		return nil, err
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
