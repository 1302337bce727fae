package cli_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/podtrack/podtrack/cmd/podtrack/cli"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

// podtrack with one environment more, a circle of cells: ls knows its parameter.
func ExampleMain() {
	err := pod.RegisterEnv(pod.RegisteredEnv{
		Name: "example.org/circle", Version: 1, Usage: "cells in a circle",
		Parameters: []pod.Parameter{{Name: "cells", Default: 8, Min: 2, Max: 100, Usage: "the number of cells"}},
		Build: func(e schema.Env) (pod.Env, error) {
			cells := int(e.Params["cells"])
			return pod.Graph{
				States: cells, Actions: []string{"back", "on"}, Features: []string{"place"},
				Observe: func(s int, dst []float64) { dst[0] = float64(s) },
				Step:    func(s, a int) int { return (s + cells + 2*a - 1) % cells },
			}.Env()
		},
	})
	if err != nil {
		log.Fatal(err)
	}
	folder, err := os.MkdirTemp("", "cli")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	path := filepath.Join(folder, "podtrack.db")
	store, err := replay.Create(context.Background(), path)
	if err != nil {
		log.Fatal(err)
	}
	env, err := pod.DefaultEnv("example.org/circle")
	if err != nil {
		log.Fatal(err)
	}
	job := replay.Job{Spec: pod.NewSpec(env), Target: 2}
	if _, err := store.Run(context.Background(), job, replay.Options{}); err != nil {
		log.Fatal(err)
	}
	os.Args = []string{"podtrack", "ls", "cells<10", "--store", path, "--columns", "env,cells,purposes,status"}
	fmt.Println("exit code", cli.Main())
	// Output:
	// env                 cells  purposes  status
	// ───────────────────────────────────────────────
	// example.org/circle      8         1  complete
	// exit code 0
}
