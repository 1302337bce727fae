package explore_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/explore"
)

// How many states of a ring of 64 each iteration was the first to visit.
func ExampleRead() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "explore")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	store, err := replay.Create(ctx, filepath.Join(folder, "podtrack.db"))
	if err != nil {
		log.Fatal(err)
	}
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps = 6, 200
	run, err := store.Run(ctx, replay.Job{Spec: spec, Target: 3}, replay.Options{})
	if err != nil {
		log.Fatal(err)
	}
	explored, err := explore.Read(ctx, run)
	if err != nil {
		log.Fatal(err)
	}
	for _, it := range explored.Iterations {
		fmt.Printf("iteration %d: %d new states, %d of %d so far\n", it.K, *it.NewStates, *it.Covered, *explored.States)
	}
	// Output:
	// iteration 0: 20 new states, 20 of 64 so far
	// iteration 1: 44 new states, 64 of 64 so far
	// iteration 2: 0 new states, 64 of 64 so far
}
