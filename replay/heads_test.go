package replay_test

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// pinned is a spec with the head that its iterations reach. The heads in
// testdata/heads.json must never change: a change of one is a change of the numerics
// version that its spec names.
type pinned struct {
	Name       string        `json:"name"`
	Iterations int           `json:"iterations"`
	Head       schema.Digest `json:"head"`
	Spec       schema.Spec   `json:"spec"`
}

func pinnedHeads(t *testing.T) []pinned {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "heads.json"))
	if err != nil {
		t.Fatal(err)
	}
	var raw []struct {
		pinned
		Spec json.RawMessage `json:"spec"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		t.Fatal(err)
	}
	var all []pinned
	for _, r := range raw {
		p := r.pinned
		p.Spec = pod.PaperSpec()
		if err := p.Spec.ReadJSON(bytes.NewReader(r.Spec)); err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
	return all
}

var pin = flag.Bool("pin", false, "pin a head of everything that a spec can name and no pinned spec does")

// TestEverythingPinned: each environment in which an agent acts, learner, method and selection has a pinned
// head. With -pin it pins one.
func TestEverythingPinned(t *testing.T) {
	named := map[string]bool{}
	for _, p := range pinnedHeads(t) {
		rule, err := p.Spec.Select.ParseRule()
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range []string{"env " + p.Spec.Env.Name, "learner " + string(p.Spec.Learner),
			"method " + cmp.Or(string(p.Spec.Method), string(schema.POD)), "select " + string(rule.By)} {
			named[name] = true
		}
	}
	for kind, names := range map[string][]string{"env": envs.EnvNames(), "learner": schema.Learners.BuiltinNames(),
		"method": schema.Methods.BuiltinNames(), "select": schema.Selections.BuiltinNames()} {
		for _, name := range names {
			switch {
			case named[kind+" "+name], name == envs.RowsName, strings.Contains(name, "/"): // or of a test
			case *pin:
				pinHead(t, kind, name)
			default:
				t.Errorf("no head is pinned of %s %s; go test ./replay -run EverythingPinned -pin pins one", kind, name)
			}
		}
	}
}

// pinHead adds a spec that names something, and the head of its runs, to those that are pinned.
func pinHead(t *testing.T, kind, name string) {
	t.Helper()
	spec := pod.PaperSpec()
	spec.Env.Params["bits"], spec.Steps = 7, 300
	if kind == "env" {
		env, err := envs.DefaultEnv(name)
		if err != nil {
			t.Fatal(err)
		}
		spec.Env = env
	} else if err := spec.Set(kind, name); err != nil {
		t.Fatal(err)
	}
	if err := spec.Validate(); err != nil {
		t.Fatal(err)
	}
	p := pinned{Name: kind + " " + name, Iterations: 3, Spec: spec}
	p.Head = runJobs(t, newStore(t, tracker.Options{}), []replay.Job{p.job()}, 1)[0].Head
	entry, err := json.MarshalIndent(p, "  ", "  ")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("testdata", "heads.json")
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	text = append(bytes.TrimSuffix(text, []byte("\n]\n")), ",\n  "...)
	if err := os.WriteFile(path, append(append(text, entry...), "\n]\n"...), 0o666); err != nil {
		t.Fatal(err)
	}
}

func (p pinned) job() replay.Job { return replay.Job{Spec: p.Spec, Target: p.Iterations} }

func newStore(t testing.TB, o tracker.Options) *tracker.Store {
	t.Helper()
	return tracker.New(filepath.Join(t.TempDir(), "podtrack.db"), o)
}

func TestPinnedHeads(t *testing.T) {
	for _, p := range pinnedHeads(t) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			got := runJobs(t, newStore(t, tracker.Options{}), []replay.Job{p.job()}, 1)[0].Head
			if got != p.Head {
				t.Errorf("head %s, pinned %s", got, p.Head)
			}
		})
	}
}

// TestHeadsDoNotDependOnHow runs the pinned specs with other processors, zstd
// levels and commit intervals.
func TestHeadsDoNotDependOnHow(t *testing.T) {
	var jobs []replay.Job
	want := map[schema.Digest]bool{}
	for _, p := range schematest.Sample(pinnedHeads(t)) {
		jobs, want[p.Head] = append(jobs, p.job()), true
	}
	for _, procs := range []int{1, 2} {
		level := procs * procs // the first and the last
		t.Run(fmt.Sprintf("procs=%d,level=%d", procs, level), func(t *testing.T) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(procs))
			interval := time.Duration(level) * 10 * time.Millisecond
			store := newStore(t, tracker.Options{Level: level, CommitEvery: interval})
			for _, o := range runJobs(t, store, jobs, 3) {
				if !want[o.Head] {
					t.Errorf("run %s reached head %s, which is not pinned", o.Run, o.Head)
				}
			}
		})
	}
}

// interrupt runs a job and stops it at its n-th event. It reports whether the job was complete nevertheless.
func interrupt(t *testing.T, store *tracker.Store, job replay.Job, n int64) (replay.Outcome, bool) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	if err := store.Create(ctx); err != nil {
		t.Fatal(err)
	}
	var events atomic.Int64
	w := groupcommit.Start(ctx, store)
	engine := replay.NewEngine(store, w, replay.Options{Report: func(replay.Event) {
		if events.Add(1) == n {
			cancel()
		}
	}})
	var out replay.Outcome
	engine.Run(ctx, job, func(o replay.Outcome) { out = o })
	if err := w.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
	return out, out.Err == nil
}

// TestInterruptedHeads stops runs again and again, in every kind of state, and expects the pinned heads.
func TestInterruptedHeads(t *testing.T) {
	for _, p := range schematest.Sample(pinnedHeads(t)) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			store := newStore(t, tracker.Options{})
			stops := 0
			for n := int64(1); ; n++ {
				out, done := interrupt(t, store, p.job(), n)
				if done {
					if out.Head != p.Head {
						t.Errorf("head %s after %d interruptions, pinned %s", out.Head, stops, p.Head)
					}
					break
				}
				if !errors.Is(out.Err, replay.ErrInterrupted) || stops > 1000 {
					t.Fatalf("no end after %d interruptions: %v", stops, out.Err)
				}
				stops++
			}
			if stops < 3 {
				t.Errorf("only %d interruptions", stops)
			}
		})
	}
}

// TestInterruptedInChunk stops a run in the second chunk of an iteration, where the checkpoint holds a recorded chunk,
// an unfinished one, and the option being executed or the action that persists.
func TestInterruptedInChunk(t *testing.T) {
	for _, behaviour := range []schema.Behaviour{schema.Uniform, "zeta=2", "geometric=200"} {
		t.Run(cmp.Or(string(behaviour), "uniform"), func(t *testing.T) {
			t.Parallel()
			spec := pod.PaperSpec()
			spec.Steps, spec.Behaviour = schema.ChunkSteps+300_000, behaviour
			job := replay.Job{Spec: spec, Target: 2}
			want := runJobs(t, newStore(t, tracker.Options{}), []replay.Job{job}, 1)[0].Head
			store := newStore(t, tracker.Options{CommitEvery: time.Nanosecond})
			for _, at := range []int64{19, 20, 3, 25, 12} {
				if out, done := interrupt(t, store, job, at); done {
					t.Fatalf("reached %s before event %d", out.Head, at)
				}
			}
			if got := runJobs(t, store, []replay.Job{job}, 1)[0].Head; got != want {
				t.Errorf("head %s after interruptions, %s without", got, want)
			}
		})
	}
}

// TestHigherTarget goes on from a complete run.
func TestHigherTarget(t *testing.T) {
	p := pinnedHeads(t)[0]
	store := newStore(t, tracker.Options{})
	short := p.job()
	short.Target = 2
	runJobs(t, store, []replay.Job{short}, 1)
	out := runJobs(t, store, []replay.Job{p.job()}, 1)[0]
	if out.Head != p.Head || out.Resumed != 2 {
		t.Errorf("head %s from iteration %d, want %s from 2", out.Head, out.Resumed, p.Head)
	}
	if again := runJobs(t, store, []replay.Job{short}, 1)[0]; again.Iterations != p.Iterations || again.Head != p.Head {
		t.Errorf("a lower target gave %d iterations and head %s", again.Iterations, again.Head)
	}
}

// TestRecordedChain walks what a run recorded: every link follows from what it
// links, and every record decodes to bytes of its own name.
func TestRecordedChain(t *testing.T) {
	p := pinnedHeads(t)[0]
	store := newStore(t, tracker.Options{})
	id := runJobs(t, store, []replay.Job{p.job()}, 1)[0].Run
	err := store.View(context.Background(), func(tx *tracker.Tx) error {
		iterations, err := tx.ReadIterations(id)
		if err != nil {
			return err
		}
		link := id
		for k, it := range iterations {
			if link, err = schema.Link(k, link, it.Records); err != nil || link != it.Link {
				t.Errorf("iteration %d: link %s, recorded %s: %v", k, link, it.Link, err)
			}
			kinds := map[schema.Kind]int{}
			for _, e := range it.Records {
				kinds[e.Kind]++
				if _, err := tx.ReadRecord(e.Name); err != nil {
					t.Errorf("iteration %d: %v", k, err)
				}
			}
			if kinds[schema.KindTransitions] != 1 || kinds[schema.KindFactors] != 1 ||
				kinds[schema.KindMeasures] != 1 ||
				kinds[schema.KindValue] == 0 || kinds[schema.KindValue] != kinds[schema.KindOption] {
				t.Errorf("iteration %d records %v", k, kinds)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
