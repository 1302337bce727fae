package pod

import (
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// NewSimulated returns [NewEnv] for environments that are simulated here, as nearly all tests need.
func NewSimulated(e schema.Env) (SimulatedEnv, error) {
	env, err := NewEnv(e)
	if err != nil {
		return nil, err
	}
	simulated, ok := As[SimulatedEnv](env)
	if !ok {
		return nil, fmt.Errorf("environment %q is not simulated here", e.Name)
	}
	return simulated, nil
}
