package replay_test

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/backup"
	"github.com/podtrack/podtrack/tracker/gc"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// workerVariable is the variable by which this test's binary becomes a program that works on the run "small", in the
// store named in it, for longer than any test lasts.
const workerVariable = "PODTRACK_TEST_WORKER"

func workOn(path string) error {
	ctx := context.Background()
	store, err := replay.Create(ctx, path)
	if err == nil {
		_, err = store.Run(ctx, replay.Job{Spec: small(), Target: 1 << 20, Name: "small"}, replay.Options{})
	}
	return err
}

// startWorker starts a process that works on the run "small".
func startWorker(t *testing.T, path string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	ok(t, err)
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), workerVariable+"="+path)
	ok(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() })
	return cmd
}

// A watched is a store that a test watches.
type watched struct {
	t    *testing.T
	next func() (replay.StoreEvent, error, bool)
}

// watchStore watches a store with a short time between looks.
func watchStore(ctx context.Context, t *testing.T, path string, o tracker.Options) watched {
	t.Helper()
	o.LookEvery = time.Millisecond
	next, stop := iter.Pull2(replay.NewStore(tracker.New(path, o)).Watch(ctx))
	t.Cleanup(stop)
	return watched{t, next}
}

// event returns the next event.
func (w watched) event() replay.StoreEvent {
	w.t.Helper()
	e, err, more := w.next()
	if err != nil || !more {
		w.t.Fatalf("no event: %v", err)
	}
	return e
}

// want compares the next events with texts.
func (w watched) want(texts ...string) {
	w.t.Helper()
	for _, want := range texts {
		if got := eventText(w.event()); got != want {
			w.t.Fatalf("%q, want %q", got, want)
		}
	}
}

// eventText returns an event in words.
func eventText(e replay.StoreEvent) string {
	if e.Initial {
		return e.String() + ", at first"
	}
	return e.String()
}

// makeStore makes a store with default options.
func makeStore(t *testing.T) *replay.Store {
	t.Helper()
	store, err := replay.Create(t.Context(), filepath.Join(t.TempDir(), "podtrack.db"))
	ok(t, err)
	return store
}

// performIn executes a job in a store.
func performIn(t *testing.T, store *replay.Store, job replay.Job) *replay.Run {
	t.Helper()
	run, err := store.Run(t.Context(), job, replay.Options{})
	ok(t, err)
	return run
}

// TestWatchEvents: each run has its events, in order: what is there when the watch begins, runs that are made,
// go on, are forked, fail, and are removed, also while the file is replaced.
func TestWatchEvents(t *testing.T) {
	t.Parallel()
	store := makeStore(t)
	tracked := store.Tracker()
	performIn(t, store, replay.Job{Spec: small(), Target: 2, Name: "one"})
	w := watchStore(t.Context(), t, tracked.Path(), tracker.Options{})
	w.want("one complete, at first")

	one := performIn(t, store, replay.Job{Spec: small(), Target: 4, Name: "one"})
	w.want("one started", "one iteration 2", "one iteration 3", "one complete")

	_, err := backup.Compact(t.Context(), tracked, nil)
	ok(t, err)
	second := small()
	second.Seed = 2
	performIn(t, store, replay.Job{Spec: second, Target: 1, Name: "two"})
	w.want("two started", "two iteration 0", "two complete")

	other := small()
	other.Kappa = 0.5
	fork, err := one.Fork(t.Context(), 3, other)
	ok(t, err)
	fork.Name = "fork"
	performIn(t, store, fork)
	w.want("fork started", "fork iteration 3", "fork complete")

	failing := replay.Job{Spec: small(), Target: 1, Name: "luckless"}
	selection := schema.StageProgram{Name: "test.example/bad", Version: "1.0"}
	failing.Spec.SetStage(schema.SelectStage, &selection)
	for _, text := range []string{"no luck", "no luck again"} {
		stages := &replay.StageSet{}
		ok(t, stages.AddSelect(selection, func(context.Context, pod.SelectInput) ([]schema.Direction, error) {
			return nil, errors.New(text)
		}))
		if _, err := store.Run(t.Context(), failing, replay.Options{Stages: stages}); err == nil ||
			!strings.Contains(err.Error(), text) {
			t.Fatalf("%v, want a failure", err)
		}
		e := w.event()
		if e.Kind == replay.RunStarted { // the second time there is no look before it fails
			e = w.event()
		}
		if e.Kind != replay.RunFailed || !strings.Contains(e.Run.Failure, text) {
			t.Errorf("a run that fails gives %q", eventText(e))
		}
	}
	_, err = gc.Remove(t.Context(), tracked, []schema.Digest{one.ID})
	ok(t, err)
	w.want("one removed")
	late := watchStore(t.Context(), t, tracked.Path(), tracker.Options{})
	if e := late.event(); !e.Initial || e.Kind != replay.RunComplete || e.Run.Name != "two" {
		t.Errorf("%q, want the oldest run first", eventText(e))
	}
	if _, err := late.event().Run.Options(t.Context(), 3); err != nil {
		t.Errorf("the run of an event has no options: %v", err)
	}
}

// TestWatchKilled: the watch of a store that is not there yet tells of another process's run from its start, of each
// iteration, and of the end of a process that is killed, which writes nothing any more.
func TestWatchKilled(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "podtrack.db")
	var looks atomic.Int64
	looked := make(chan struct{})
	w := watchStore(t.Context(), t, path, tracker.Options{Now: func() time.Time {
		if looks.Add(1) == 2 { // so there was no store at the first look
			close(looked)
		}
		return time.Now()
	}})
	started := make(chan *exec.Cmd, 1)
	go func() {
		<-looked
		started <- startWorker(t, path)
	}()
	w.want("small started")
	for k := range 3 {
		w.want(fmt.Sprintf("small iteration %d", k))
	}
	worker := <-started
	ok(t, worker.Process.Kill())
	_ = worker.Wait()
	before, err := os.Stat(path)
	ok(t, err)
	e := w.event()
	for k := 3; e.Kind == replay.IterationDone && e.K == k; k++ { // those between the last event and the kill
		e = w.event()
	}
	after, err := os.Stat(path)
	ok(t, err)
	if e.Kind != replay.RunInterrupted || e.Run.Status != tracker.Interrupted || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("after a kill: %q, %s", eventText(e), e.Run.Status)
	}
}

// TestWatchStaleLease: a run whose process, on another machine, is no longer heard of is interrupted once its lease is
// stale, although nobody writes.
func TestWatchStaleLease(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "podtrack.db")
	store := tracker.New(path, tracker.Options{Heartbeat: time.Hour})
	ok(t, store.Create(t.Context()))
	writer := groupcommit.Start(t.Context(), store)
	_, _, err := writer.Acquire(t.Context(), tracker.Claim{Spec: small(), Target: 1, Name: "small"})
	ok(t, err)
	ok(t, writer.Flush(t.Context()))
	var passed atomic.Int64
	w := watchStore(t.Context(), t, path, tracker.Options{Now: func() time.Time {
		return time.Now().Add(time.Duration(passed.Load()))
	}})
	w.want("small started, at first")
	passed.Store(int64(store.Options().LeaseAfter + time.Minute))
	w.want("small interrupted")
	ok(t, writer.Close(t.Context()))
}

// TestWatchOpensNothing: a store that does not change is looked at, and not opened.
func TestWatchOpensNothing(t *testing.T) {
	t.Parallel()
	path := makeStore(t).Tracker().Path()
	old := time.Now().Add(-time.Hour) // so that any change shows in the file's time
	ok(t, os.Chtimes(path, old, old))
	var looks, opens atomic.Int64
	ctx, cancel := context.WithCancel(t.Context())
	w := watchStore(ctx, t, path, tracker.Options{
		Now: func() time.Time {
			if looks.Add(1) == 100 {
				cancel()
			}
			return time.Now()
		},
		OnUnlock: func(bool, time.Duration) { opens.Add(1) },
	})
	e, err, _ := w.next()
	if !errors.Is(err, replay.ErrInterrupted) || !errors.Is(err, context.Canceled) {
		t.Errorf("%v, %v", e, err)
	}
	if looks.Load() < 100 || opens.Load() != 1 {
		t.Errorf("%d looks opened the store %d times", looks.Load(), opens.Load())
	}
	if _, err, more := w.next(); more {
		t.Errorf("after the end: %v", err)
	}
}

// TestWatchEnds: a watch whose context ends has no more events, not even those that were read, and one of a file that
// is no store ends with its error.
func TestWatchEnds(t *testing.T) {
	t.Parallel()
	store := makeStore(t)
	for seed := range uint64(3) {
		spec := small()
		spec.Seed = seed
		performIn(t, store, replay.Job{Spec: spec, Target: 1})
	}
	ctx, cancel := context.WithCancel(t.Context())
	w := watchStore(ctx, t, store.Tracker().Path(), tracker.Options{})
	w.event()
	cancel()
	if e, err, _ := w.next(); !errors.Is(err, replay.ErrInterrupted) || e.Run != nil {
		t.Errorf("a context that ends: %v, %v", e, err)
	}
	w = watchStore(t.Context(), t, store.Tracker().Path(), tracker.Options{})
	w.event()
	w.event()
	w.event()
	ok(t, os.WriteFile(store.Tracker().Path(), []byte(strings.Repeat("nothing", 10_000)), 0o600))
	if _, err, _ := w.next(); !errors.Is(err, tracker.ErrNotStore) {
		t.Errorf("garbage: %v", err)
	}
	if _, _, more := w.next(); more {
		t.Error("the watch went on after an error")
	}
}
