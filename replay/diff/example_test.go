package diff_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
)

// Two seeds of one spec, compared by the meaning of their options.
func ExampleBetween() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "between")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	store, err := replay.Create(ctx, filepath.Join(folder, "podtrack.db"))
	if err != nil {
		log.Fatal(err)
	}
	var jobs []replay.Job
	for seed := range uint64(2) {
		spec := pod.PaperSpec()
		spec.Env.Params["bits"], spec.Steps, spec.Seed = 6, 200, seed
		jobs = append(jobs, replay.Job{Spec: spec, Target: 1, Name: fmt.Sprint("seed-", seed)})
	}
	runs, err := store.RunAll(ctx, jobs, 0, replay.Options{})
	if err != nil {
		log.Fatal(err)
	}
	report, err := diff.Between(ctx, runs[0], runs[1], diff.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("first divergence: iteration %d, %s\n", report.Divergence.K, report.Divergence.Stage)
	for _, it := range report.Iterations {
		for _, pair := range it.Pairs {
			fmt.Printf("%s and %s: |cos| %.3f\n", pair.A, pair.B, pair.Cosine)
		}
	}
	// Output:
	// first divergence: iteration 0, collect
	// seed-0:0/1+ and seed-1:0/1+: |cos| 0.989
	// seed-0:0/1- and seed-1:0/1-: |cos| 0.989
	// seed-0:0/2+ and seed-1:0/2+: |cos| 0.903
	// seed-0:0/2- and seed-1:0/2-: |cos| 0.903
	// seed-0:0/3+ and seed-1:0/3+: |cos| 0.699
	// seed-0:0/3- and seed-1:0/3-: |cos| 0.699
	// seed-0:0/4+ and seed-1:0/4+: |cos| 0.990
	// seed-0:0/4- and seed-1:0/4-: |cos| 0.990
}
