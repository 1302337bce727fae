package replay

import (
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
)

// encodeState returns the state of the iteration between two units of work, as CBOR.
func (it *iteration) encodeState() ([]byte, error) {
	stream, err := it.agent.Stream.Save()
	if err != nil {
		return nil, err
	}
	at := checkpointState{
		K: it.runState.k, Stream: stream, State: it.agent.State, Executing: it.agent.Executing,
		StepsInCall: it.agent.StepsInCall, Cost: it.cost,
	}
	if pod.HasActions(it.runState.env) && it.stats != nil {
		if at.Partial, err = it.chunk.Encode(); err != nil {
			return nil, err
		}
	}
	if w, ok := it.agent.Running.(pod.RestorableEnv); ok {
		if at.Env, err = w.Save(); err != nil {
			return nil, err
		}
	}
	if it.unfactored != nil {
		if at.Decomposition, err = it.unfactored.State(); err != nil {
			return nil, err
		}
	}
	if err := it.saveObservations(&at); err != nil {
		return nil, err
	}
	if err := it.saveRewards(&at); err != nil {
		return nil, err
	}
	return schema.Marshal(at)
}
