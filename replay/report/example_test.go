package report_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
)

// Runs are found by what their specs and measures say.
func ExampleFind() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "find")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	store, err := replay.Create(ctx, filepath.Join(folder, "podtrack.db"))
	if err != nil {
		log.Fatal(err)
	}
	for seed := range uint64(3) {
		spec := pod.PaperSpec()
		spec.Env.Params["bits"], spec.Steps, spec.Seed = 6, 200, seed
		if _, err := store.Run(ctx, replay.Job{Spec: spec, Target: 1}, replay.Options{}); err != nil {
			log.Fatal(err)
		}
	}
	runs, err := report.Find(ctx, store, "seed=1-2", "options>0")
	if err != nil {
		log.Fatal(err)
	}
	for _, run := range runs {
		fmt.Println("seed", run.Spec.Seed, run.Status)
	}
	_, err = report.Find(ctx, store, "sed=1")
	fmt.Println(err)
	// Output:
	// seed 2 complete
	// seed 1 complete
	// invalid filter: unknown key "sed" in "sed=1"
}
