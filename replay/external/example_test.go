package external_test

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/external"
)

// A program says which environment it is. Here that is this test, which answers as PROTOCOL.md has it.
func ExampleProgram_QueryEnv() {
	self, err := os.Executable()
	if err != nil {
		log.Fatal(err)
	}
	program := external.NewProgram(external.Command{
		Words: []string{self}, Timeout: external.DefaultTimeout,
		Vars: []string{`PODTRACK_TEST_ANSWERS={"id":ID,"protocol":1,"name":"lamp","version":"1",` +
			`"actions":["off","on"],"observes":{"kind":"binary","features":["bright","warm"]}}`},
	})
	env, err := program.QueryEnv(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(env.Name, env.External.Version, env.External.Actions, env.External.Features)
	// Output:
	// lamp 1 [off on] [bright warm]
}

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
