package faults

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// largeStore has a run of three iterations, of which the second has so many megabytes.
// change is in the last one.
func largeStore(t *testing.T, path string, megabytes int, change byte) {
	t.Helper()
	ctx := context.Background()
	s := tracker.New(path, tracker.Options{Level: 1})
	e2e.Must(t, s.Create(ctx))
	w := groupcommit.Start(ctx, s)
	spec := pod.PaperSpec()
	spec.Env.Params["bits"] = 17
	rw, st, err := w.Acquire(ctx, tracker.Claim{Spec: spec, Target: 3})
	e2e.Must(t, err)
	random := rand.New(rand.NewPCG(1, 2))
	link := st.Run.ID
	for k, records := range []int{1, megabytes, 2} {
		var entries []schema.Entry
		for range records {
			x := make(schema.Value, 1<<17) // all states: 1 MB that does not compress
			for s := range x {
				x[s] = random.Float64()
			}
			if k == 2 {
				x[0] = float64(change)
			}
			record, err := x.Encode()
			e2e.Must(t, err)
			name, err := rw.Put(record)
			e2e.Must(t, err)
			entries = append(entries, schema.Entry{Kind: schema.KindValue, Name: name})
		}
		link, err = schema.Link(k, link, entries)
		e2e.Must(t, err)
		e2e.Must(t, rw.SealIteration(k, schema.Iteration{Link: link, Records: entries}, tracker.Cost{}))
	}
	e2e.Must(t, w.Close(ctx))
}

// TestKilledMerge kills a merge at its first transactions and, more and more rarely, at later
// ones, or at the second: the store is sound, and the same command completes it.
func TestKilledMerge(t *testing.T) {
	t.Parallel()
	needsFaults(t)
	source := filepath.Join(t.TempDir(), "source.db")
	largeStore(t, source, 68, 1) // more than a transaction
	want := e2e.Heads(e2e.List(t, source))
	all := []string{"create.temp", "create.link", "update.open", "update.change", "update.commit"}
	for _, point := range schematest.Size([]string{"update.commit"}, all) {
		t.Run(point, func(t *testing.T) {
			n := 1
			if strings.HasPrefix(point, "update") {
				n = schematest.Size(2, 1)
			}
			for last := n + schematest.Size(0, 1000); n <= last; n *= 2 {
				store := filepath.Join(t.TempDir(), "store.db")
				if !killed(t, startFaulty(t, []string{fmt.Sprintf("PODTRACK_FAULT=%s:%d", point, n)}, "merge", source, "--store",
					store)) {
					break
				}
				if _, err := os.Stat(store); err == nil {
					e2e.List(t, store)
				}
				e2e.Perform(t, "merge", source, "--store", store)
				checkSame(t, store, want)
			}
			if strings.HasPrefix(point, "update") && n < 3 {
				t.Errorf("only %d transactions", n-1)
			}
		})
	}
}

// checkSame compares the heads of a store with others, and verifies all of its records.
func checkSame(t *testing.T, store string, want map[string]string) {
	t.Helper()
	if got := e2e.Heads(e2e.List(t, store)); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v, want %v", got, want)
	}
	e2e.Perform(t, "export", "iterations=0-9", "--format", "bundle", "-o", store+".bundle", "--store", store)
}

// TestMergeDiffers: of two histories of a run ours stays, and both can be judged.
func TestMergeDiffers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	ours, theirs := filepath.Join(dir, "ours.db"), filepath.Join(dir, "theirs.db")
	largeStore(t, ours, 20, 1)
	largeStore(t, theirs, 20, 2)
	e2e.Perform(t, "run", "--store", theirs, "--bits", "5", "--steps", "60", "--iterations", "2")
	want := e2e.Heads(e2e.List(t, ours))
	p := e2e.Start(t, "merge", theirs, "--store", ours)
	p.Exit(t, cmdline.ExitDifference)
	for _, part := range []string{"iteration 2: value record ", "the target has value record ",
		"runs that were not merged: 1 of 2", "podtrack replay ", " verifies what is here"} {
		if !strings.Contains(p.Said.String(), part) {
			t.Errorf("stderr does not say %q:\n%s", part, p.Said.String())
		}
	}
	if got := p.Printed.String(); !strings.Contains(got, "differs from iteration 2 on") ||
		!strings.Contains(got, "runs: 1 new, 1 different; ") {
		t.Errorf("stdout:\n%s", got)
	}
	got := e2e.Heads(e2e.List(t, ours))
	for id, head := range want {
		if got[id] != head {
			t.Errorf("run %s has head %s, had %s", id, got[id], head)
		}
	}
	if len(got) != 2 {
		t.Errorf("%d runs", len(got))
	}
}

// TestMergeBesideARun leaves a run alone that another process works on.
func TestMergeBesideARun(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("only on linux does a lease know that its process is gone")
	}
	dir := t.TempDir()
	store, calm := filepath.Join(dir, "store.db"), filepath.Join(dir, "calm.db")
	e2e.Perform(t, append([]string{"run", "--store", calm}, longRunTo(1)...)...)
	busy := e2e.Start(t, append([]string{"run", "--store", store}, longRun...)...)
	e2e.WaitUntilRunning(t, store)
	p := e2e.Start(t, "merge", calm, "--store", store)
	p.Exit(t, cmdline.ExitLocked)
	if !strings.Contains(p.Said.String(), fmt.Sprint("being worked on by process ", busy.Process.Pid)) {
		t.Error(p.Said.String())
	}
	e2e.Must(t, busy.Process.Kill())
	_ = busy.Wait() // says that it was killed
	left := e2e.List(t, store)[0].Iterations
	e2e.Perform(t, append([]string{"run", "--store", calm}, longRunTo(left+1)...)...)
	e2e.Perform(t, "merge", calm, "--store", store)
	if got, want := e2e.List(t, store)[0], e2e.List(t, calm)[0]; *got.Head != *want.Head || got.Iterations != left+1 {
		t.Errorf("%d iterations to head %s, want %d to %s", got.Iterations, got.Head, left+1, want.Head)
	}
}

// TestInterruptedCopies exit as interrupted, and leave no file.
func TestInterruptedCopies(t *testing.T) {
	dir := t.TempDir()
	store, file := filepath.Join(dir, "store.db"), filepath.Join(dir, "file.db")
	e2e.Perform(t, "run", "--store", store, "--bits", "5", "--steps", "60", "--iterations", "2")
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, args := range [][]string{
		{"merge", store, "--store", file},
		{"export", "@1", "--format", "bundle", "-o", file, "--store", store},
	} {
		var stdout, stderr bytes.Buffer
		if got := command.Execute(ctx, append([]string{"podtrack"}, args...), &stdout,
			&stderr); got != cmdline.ExitInterrupted {
			t.Errorf("%s: exit code %d\n%s", args[0], got, stderr.String())
		}
		if files, _ := os.ReadDir(dir); len(files) != 1 {
			t.Errorf("%s left %v", args[0], files)
		}
	}
}
