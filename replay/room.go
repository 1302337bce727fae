package replay

import (
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// stateBytes is the memory that a state takes while a run is made or judged, in
// bytes: its part of the model, of w and of the sweeps, of the visited set and of
// options. Measured: 130 to 180 on rings of 2²² and 2²⁴ states.
const stateBytes = 128

// Env builds the environment of a spec's runs, unless this machine has no memory for
// as many states.
func Env(spec schema.Spec) (pod.Env, error) {
	env, err := pod.EnvOf(spec)
	if err != nil {
		return nil, err
	}
	if err := tracker.Room(int64(env.States()) * stateBytes); err != nil {
		return nil, fmt.Errorf("environment %q of %d states: %w", spec.Env.Name, env.States(), err)
	}
	return env, nil
}
