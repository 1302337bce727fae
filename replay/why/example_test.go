package why_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/why"
)

// Why does option 0 exist? The direction behind it, the share of the steps in it, and the chain of
// records that proves it.
func ExampleOption() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "why")
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
	run, err := store.Run(ctx, replay.Job{Spec: spec, Target: 1, Name: "small"}, replay.Options{})
	if err != nil {
		log.Fatal(err)
	}
	report, err := why.Option(ctx, run, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%s: σ %.3f, %.3f above κ\n", report.Option, report.Purpose.Sigma, report.Purpose.Margin)
	for _, e := range report.Evidence[:2] {
		fmt.Printf("%4.1f %% of it from %d steps that change %v\n", 100*e.Share, e.Count, e.Row)
	}
	verified := 0
	for _, proof := range report.Chain {
		if proof.Verified {
			verified++
		}
	}
	fmt.Printf("%d of %d records and links are proved\n", verified, len(report.Chain))
	// Output:
	// small:0/1+: σ 14.204, 13.204 above κ
	// 28.0 % of it from 57 steps that change [-1 0 0 0 0 0]
	// 25.0 % of it from 51 steps that change [1 0 0 0 0 0]
	// 5 of 5 records and links are proved
}
