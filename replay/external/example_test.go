package external_test

import (
	"context"
	"fmt"
	"log"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
)

// A run in an environment of Gymnasium, and its proof. It needs a Python with Gymnasium.
func ExampleGym() {
	ctx := context.Background()
	command, err := external.Gym("FrozenLake-v1,is_slippery=False", "python3", external.DefaultTimeout)
	if err != nil {
		log.Fatal(err)
	}
	program := external.NewProgram(command)
	env, err := program.QueryEnv(ctx)
	if err != nil {
		log.Fatal(err)
	}
	store, err := replay.Create(ctx, "podtrack.db")
	if err != nil {
		log.Fatal(err)
	}
	spec := pod.NewSpec(env)
	spec.Steps = 5000
	run, err := store.Run(ctx, replay.Job{Spec: spec, Target: 3}, replay.Options{Launcher: program})
	if err != nil {
		log.Fatal(err)
	}
	result, err := run.Verify(ctx, replay.Options{Launcher: program})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Head, result.Identical())
}
