package replay_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/repair"
)

// another is a program that is no environment of these tests.
type another struct{ elsewhere }

func (another) CheckEnv(context.Context, schema.Env) error { return envs.ErrEnvMismatch }

// TestRepairOutside: observations of an external environment are not restored without its program or with another one,
// and are restored with it.
func TestRepairOutside(t *testing.T) {
	world := elsewhere{cells: 30, clocks: 1}
	store := newStore(t, tracker.Options{})
	made, _ := runStopped(t, world, store, replay.Job{Spec: world.spec(schema.Empirical), Target: 2}, 0)
	ok(t, made.Err)
	names := iterationsOf(t, store, made.Run)[1].RecordsOf(schema.KindTransitions)
	lose(t, store, rand.New(rand.NewPCG(1, 2)), names...)
	for name, c := range map[string]struct {
		launcher  replay.EnvLauncher
		elsewhere bool
	}{"nobody": {nil, true}, "another": {another{}, true}, "itself": {world, false}} {
		repair, err := repair.Begin(t.Context(), store)
		ok(t, err)
		repaired, err := replay.Repair(t.Context(), repair, allRuns, replay.Options{Launcher: c.launcher})
		ok(t, err)
		repair.Close()
		if r := repaired[0]; r.Failed != "" || r.NeedsEnv != c.elsewhere ||
			(len(r.Lost) == len(names)) != c.elsewhere || (len(r.Recomputed) == len(names)) == c.elsewhere {
			t.Errorf("with %s: %+v", name, r)
		}
	}
}
