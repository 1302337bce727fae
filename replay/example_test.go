package replay_test

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
)

// A first program: one iteration of the paper's experiment, and its options.
func Example() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "first")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	store, err := replay.Create(ctx, filepath.Join(folder, "podtrack.db"))
	if err != nil {
		log.Fatal(err)
	}
	run, err := store.Run(ctx, replay.Job{Spec: pod.PaperSpec(), Target: 1}, replay.Options{})
	if err != nil {
		log.Fatal(err)
	}
	options, err := run.Options(ctx, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, o := range options {
		fmt.Printf("option %2d, %s: σ %.3f, starts in %d states\n", o.Number, o, o.Purpose.Sigma, len(o.Initiation()))
	}
	// Output:
	// option  0, 0/1+: σ 31.651, starts in 3200 states
	// option  1, 0/1-: σ 31.651, starts in 3200 states
	// option  2, 0/2+: σ 21.863, starts in 3772 states
	// option  3, 0/2-: σ 21.863, starts in 3772 states
	// option  4, 0/3+: σ 15.299, starts in 3968 states
	// option  5, 0/3-: σ 15.299, starts in 3968 states
	// option  6, 0/4+: σ 11.362, starts in 3968 states
	// option  7, 0/4-: σ 11.362, starts in 3968 states
	// option  8, 0/5+: σ 7.567, starts in 4008 states
	// option  9, 0/5-: σ 7.567, starts in 4008 states
	// option 10, 0/6+: σ 5.772, starts in 4040 states
	// option 11, 0/6-: σ 5.772, starts in 4040 states
}

// example returns a store in a folder of its own, and a run of the ring with 2^6 states in it.
func example(iterations int) (store *replay.Store, run *replay.Run, remove func()) {
	folder, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	store, err = replay.Create(context.Background(), filepath.Join(folder, "podtrack.db"))
	if err != nil {
		log.Fatal(err)
	}
	run, err = store.Run(context.Background(), replay.Job{Spec: smallRing(), Target: iterations, Name: "small"},
		replay.Options{})
	if err != nil {
		log.Fatal(err)
	}
	return store, run, func() { os.RemoveAll(folder) }
}

// smallRing returns a spec that takes milliseconds.
func smallRing() schema.Spec {
	spec := pod.PaperSpec()
	spec.Env.Params["bits"] = 6
	spec.Steps = 200
	return spec
}

// Reading a run: its steps, its factors, its measures, and its options.
func ExampleRun() {
	ctx := context.Background()
	store, _, remove := example(2)
	defer remove()
	run, err := store.Find(ctx, "small")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Iterations, "iterations, head", run.Head.String()[:12])
	visited := map[int]bool{}
	for step, err := range run.Steps(ctx, 0) {
		if err != nil {
			log.Fatal(err)
		}
		visited[step.Next] = true
	}
	factors, err := run.Factors(ctx, 0)
	if err != nil {
		log.Fatal(err)
	}
	measures, err := run.Measures(ctx, 1)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%d states, largest σ %.3f, %d calls of options in iteration 1\n", len(visited), factors.Sigma[0],
		measures.Calls)
	options, err := run.Options(ctx, 0)
	if err != nil {
		log.Fatal(err)
	}
	o := options[0]
	env, err := run.Env(ctx)
	if err != nil {
		log.Fatal(err)
	}
	start := o.Initiation()[0]
	fmt.Printf("option %s in state %d: %s, worth %.3f\n", o, start, env.Actions()[o.Policy[start]], o.Values[start])
	// Output:
	// 2 iterations, head 0545a816d675
	// 20 states, largest σ 14.204, 24 calls of options in iteration 1
	// option 0/1+ in state 0: left, worth 1.024
}

// Progress is reported while a run is executed, and a cancelled run goes on where it was left.
func ExampleStore_Run() {
	store, _, remove := example(1)
	defer remove()
	spec := smallRing()
	spec.Seed = 7
	ctx, cancel := context.WithCancel(context.Background())
	_, err := store.Run(ctx, replay.Job{Spec: spec, Target: 3}, replay.Options{Report: func(e replay.Event) {
		if e.K == 1 && e.Stage == replay.StageLearn {
			cancel()
		}
	}})
	fmt.Println(err, errors.Is(err, replay.ErrInterrupted))
	run, err := store.Run(context.Background(), replay.Job{Spec: spec, Target: 3}, replay.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(run.Iterations, "iterations,", run.Status)
	// Output:
	// iteration 1: interrupted true
	// 3 iterations, complete
}

// Watching a store, while another goroutine or process works on its runs.
func ExampleStore_Watch() {
	ctx := context.Background()
	store, run, remove := example(1)
	defer remove()
	done := make(chan error, 1)
	for e, err := range store.Watch(ctx) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(e)
		switch {
		case e.Initial:
			go func() {
				_, err := run.Continue(ctx, 3, replay.Options{})
				done <- err
			}()
		case e.Kind == replay.RunComplete:
			fmt.Println(<-done)
			return
		}
	}
	// Output:
	// small complete
	// small started
	// small iteration 1
	// small iteration 2
	// small complete
	// <nil>
}

// A store that exists is opened, its runs are listed, and one of them goes on to more iterations.
func ExampleOpen() {
	ctx := context.Background()
	folder, err := os.MkdirTemp("", "open")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	_, err = replay.Open(ctx, filepath.Join(folder, "podtrack.db"))
	fmt.Println("a store is there:", !errors.Is(err, replay.ErrNoStore))
	store, _, remove := example(1)
	defer remove()
	runs, err := store.Runs(ctx)
	if err != nil {
		log.Fatal(err)
	}
	for _, run := range runs {
		fmt.Println(run.Label(), run.Iterations, run.Status)
		if run, err = run.Continue(ctx, 3, replay.Options{}); err != nil {
			log.Fatal(err)
		}
		fmt.Println(run.Label(), run.Iterations, run.Status)
	}
	_, err = store.Find(ctx, "large")
	fmt.Println(errors.Is(err, replay.ErrMissing))
	// Output:
	// a store is there: false
	// small 1 complete
	// small 3 complete
	// true
}

// A fork shares the first iterations of a run, and goes on with another spec.
func ExampleRun_Fork() {
	ctx := context.Background()
	store, run, remove := example(3)
	defer remove()
	spec := run.Spec
	spec.Kappa = 8
	job, err := run.Fork(ctx, 1, spec)
	if err != nil {
		log.Fatal(err)
	}
	fork, err := store.Run(ctx, job, replay.Options{})
	if err != nil {
		log.Fatal(err)
	}
	for _, r := range []*replay.Run{run, fork} {
		for k := range r.Iterations {
			purposes, err := r.Purposes(ctx, k)
			if err != nil {
				log.Fatal(err)
			}
			fmt.Print(len(purposes), " ")
		}
		fmt.Println("purposes with kappa", r.Spec.Kappa)
	}
	spec.Steps, spec.Env.Params = 400, map[string]int64{"bits": 7, "hide": 0}
	_, err = run.Fork(ctx, 1, spec)
	fmt.Println(errors.Is(err, schema.ErrSpec), err)
	// Output:
	// 8 12 12 purposes with kappa 1
	// 8 4 4 purposes with kappa 8
	// true invalid spec: a fork cannot change bits: run small has 6, not 7
}

// A run is proved by executing it again from its records.
func ExampleRun_Verify() {
	ctx := context.Background()
	_, run, remove := example(2)
	defer remove()
	result, err := run.Verify(ctx, replay.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(result.Identical(), result.Count(replay.Identical), "stages")
	// Output:
	// true 8 stages
}

// coin is an environment of one's own of which no model is known: a number that goes up or down by
// chance, which the action makes more likely.
type coin struct {
	random *rand.Rand
	at     int
}

// Reset implements [pod.Simulator].
func (c *coin) Reset() (int, error) {
	c.at = 8
	return c.at, nil
}

// Step implements [pod.Simulator].
func (c *coin) Step(action int) (pod.Outcome[int], error) {
	if step := 2*action - 1; c.random.IntN(4) > 0 {
		c.at += step
	} else {
		c.at -= step
	}
	c.at = min(max(c.at, 0), 15)
	return pod.Outcome[int]{State: c.at, Terminated: c.at == 15}, nil
}

// An environment of one's own whose model is not known: what happens is observed and recorded.
func Example_ownSimulation() {
	ctx := context.Background()
	coins := &pod.Simulation[int]{
		Name: "coin", Version: "1.0", Actions: []string{"down", "up"}, Size: 16,
		New: func(seed uint64) (pod.Simulator[int], error) {
			return &coin{random: rand.New(rand.NewPCG(seed, 0))}, nil
		},
	}
	env, err := coins.Env()
	if err != nil {
		log.Fatal(err)
	}
	store, _, remove := example(1)
	defer remove()
	run, err := store.Run(ctx, replay.Job{Spec: pod.NewSpec(env), Target: 2}, replay.Options{Launcher: coins})
	if err != nil {
		log.Fatal(err)
	}
	result, err := run.Verify(ctx, replay.Options{Launcher: coins})
	if err != nil {
		log.Fatal(err)
	}
	without, err := run.Verify(ctx, replay.Options{})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("with the environment:", result.Count(replay.Identical), "stages are identical")
	fmt.Println("without it:", without.Count(replay.Identical), "are, and", without.CountWithoutEnv(), "need it")
	// Output:
	// with the environment: 8 stages are identical
	// without it: 6 are, and 2 need it
}

// A method of one's own: the directions are the features themselves, those that change most often first.
func ExampleStageSet_AddMethod() {
	ctx := context.Background()
	method := schema.StageProgram{Name: "example.org/changes", Version: "1.0"}
	stages := &replay.StageSet{}
	err := stages.AddMethod(method, func(_ context.Context, in pod.MethodInput) (out pod.MethodOutput, err error) {
		changes := make([]float64, in.Data.Dims) // steps in which the feature changed
		for i, row := range in.Data.Rows {
			for _, entry := range row {
				changes[entry.Feature] += float64(in.Data.Counts[i])
			}
		}
		order := make([]int, len(changes))
		for f := range order {
			order[f] = f
		}
		slices.SortStableFunc(order, func(f, g int) int { return cmp.Compare(changes[g], changes[f]) })
		for _, f := range order {
			vector := make([]float64, len(changes))
			vector[f] = 1
			out.Sigma, out.Vectors = append(out.Sigma, math.Sqrt(changes[f])), append(out.Vectors, vector)
		}
		return out, nil
	})
	if err != nil {
		log.Fatal(err)
	}
	spec := smallRing()
	spec.SetStage(schema.MethodStage, &method)
	if err := spec.Set("kappa", "8"); err != nil {
		log.Fatal(err)
	}
	store, _, remove := example(1)
	defer remove()
	run, err := store.Run(ctx, replay.Job{Spec: spec, Target: 1}, replay.Options{Stages: stages})
	if err != nil {
		log.Fatal(err)
	}
	purposes, err := run.Purposes(ctx, 0)
	if err != nil {
		log.Fatal(err)
	}
	for _, p := range purposes {
		fmt.Printf("σ %.3f: %.0f\n", p.Sigma, p.Vector)
	}
	// Output:
	// σ 14.142: [1 0 0 0 0 0]
	// σ 14.142: [-1 0 0 0 0 0]
	// σ 9.592: [0 1 0 0 0 0]
	// σ 9.592: [0 -1 0 0 0 0]
}

// Exploration of one's own: three of four steps go to the right.
func ExampleStageSet_AddCollect() {
	ctx := context.Background()
	walk := schema.StageProgram{Name: "example.org/right", Version: "1.0"}
	stages := &replay.StageSet{}
	err := stages.AddCollect(walk, func(_ context.Context, in pod.CollectInput) (out pod.CollectOutput, err error) {
		random := rand.New(rand.NewPCG(in.Spec.Seed, uint64(in.K)<<32+uint64(in.First)))
		out.Start = in.State
		for range in.Steps {
			out.Actions = append(out.Actions, uint8(min(random.IntN(4), 1))) // 0 is left, 1 right
		}
		return out, nil
	})
	if err != nil {
		log.Fatal(err)
	}
	spec := smallRing()
	spec.SetStage(schema.CollectStage, &walk)
	store, _, remove := example(1)
	defer remove()
	run, err := store.Run(ctx, replay.Job{Spec: spec, Target: 1}, replay.Options{Stages: stages})
	if err != nil {
		log.Fatal(err)
	}
	measures, err := run.Measures(ctx, 0)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(measures.StatesVisited, "states were visited, up to", *measures.DistanceOneSided, "steps to the right")
	// Output:
	// 64 states were visited, up to 98 steps to the right
}
