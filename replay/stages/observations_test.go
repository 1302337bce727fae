package stages

import (
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
)

// TestSavedObservationsLimit: a checkpoint holds observations of 1 MiB completely, and fingerprints of more.
func TestSavedObservationsLimit(t *testing.T) {
	env, err := envs.NewEnv(schema.Env{Name: "elsewhere", External: &schema.External{Version: "1",
		Actions: []string{"a"}, Observes: schema.Real, Size: 1, Features: []string{"f"}}})
	if err != nil {
		t.Fatal(err)
	}
	x := env.(*envs.External)
	it := Iteration{RunState: &State{Env: env}}
	for n := 0.0; ; n++ {
		if _, err := x.Intern(envs.AppendRealObservation(nil, []float64{n})); err != nil {
			t.Fatal(err)
		}
		var at checkpointState
		bytes := x.States() * x.ObservationSize()
		if bytes < maxSavedObservations {
			continue
		}
		if err := it.saveObservations(&at); err != nil {
			t.Fatal(err)
		}
		whole := bytes == maxSavedObservations
		if (at.Observations != nil) != whole || (at.Fingerprints != nil) == whole {
			t.Errorf("of %d bytes the checkpoint has %d of observations and %d of fingerprints", bytes, len(at.Observations),
				len(at.Fingerprints))
		}
		if !whole {
			return
		}
	}
}
