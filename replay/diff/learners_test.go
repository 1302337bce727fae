package diff

import (
	"math"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
)

// TestHowCloseLearnersCome compares what each learner without a model makes of
// the steps of seed 0 with sweeps on the model, where the agent was: the mean over
// the purposes of iteration 0, as podtrack diff prints them. The numbers were measured
// with this program. On one-hot features all three have the table of q that the moves
// determine; that of a ring, weights of its bits cannot express.
func TestHowCloseLearnersCome(t *testing.T) {
	rooms, err := envs.DefaultEnv("grid")
	ok(t, err)
	bits, err := envs.DefaultEnv("ring")
	ok(t, err)
	bits.Params["bits"] = 8
	tests := []struct {
		name         string
		env          schema.Env
		learner      schema.Learner
		steps        int64
		rmse, agrees float64
	}{
		{"ring", bits, schema.Empirical, 20000, 0.0025, 0.9958},
		{"ring", bits, schema.LSPI, 20000, 0.0912, 0.6593},
		{"ring", bits, schema.QLearning, 20000, 0.0667, 0.4935},
		{"ring", bits, schema.Empirical, 1000, 0.0047, 0.9600},
		{"four rooms", rooms, schema.Empirical, 20000, 0, 1},
		{"four rooms", rooms, schema.LSPI, 20000, 0, 1},
		{"four rooms", rooms, schema.QLearning, 20000, 0, 1},
		{"four rooms", rooms, schema.Empirical, 1000, 0.0150, 0.7828},
	}
	for _, tt := range tests {
		if tt.name == "four rooms" && tt.steps == 20000 && tt.learner != schema.LSPI && !schematest.Long() {
			continue // of the three that come to the same table one is enough
		}
		known := paper(0)
		known.Env, known.Steps, known.Kappa = tt.env, tt.steps, 1
		if tt.name == "four rooms" && tt.steps == 20000 {
			known.Kappa = 25 // some of 206 purposes
		}
		learned := known
		learned.Learner, learned.MaxOptionSteps = tt.learner, schema.DefaultMaxOptionSteps
		all := perform(t, 1, known, learned)
		r := runs(t, all[0], all[1], Limits{})
		if r.Divergence == nil || r.Divergence.Stage != "learn" {
			t.Fatalf("%s, %s: they part in %v", tt.name, tt.learner, r.Divergence)
		}
		rmse, agrees, pairs := 0.0, 0.0, float64(len(r.Iterations[0].Pairs))
		for _, p := range r.Iterations[0].Pairs {
			rmse, agrees = rmse+*p.Visited/pairs, agrees+*p.Visits/pairs
		}
		if pairs < 4 || math.Abs(rmse-tt.rmse) > 6e-5 || math.Abs(agrees-tt.agrees) > 6e-5 {
			t.Errorf("%s, %s, %d steps, %v purposes: values %.4f apart and policies %.4f alike; measured before: "+
				"%.4f, %.4f",
				tt.name, tt.learner, tt.steps, pairs, rmse, agrees, tt.rmse, tt.agrees)
		}
	}
}
