//go:build unix

// Windows has no signal that suspends a process.

package faults

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/schema/schematest"
	"github.com/podtrack/podtrack/schema/schematest/e2e"
	"github.com/podtrack/podtrack/tracker"
)

// lease is short, so that a suspended owner is soon taken for dead.
const lease = 300 * time.Millisecond

// suspendedRun takes a few tenths of a second.
var suspendedRun = []string{"--bits", "10", "--steps", "1000000", "--iterations", "6", "--seed", "5"}

// TestSuspendedOwner stops a process at work for longer than its lease counts and
// lets it go on. If another took its run over meanwhile, the woken one must
// notice and leave everything to that one, dead or alive.
func TestSuspendedOwner(t *testing.T) {
	t.Parallel()
	schematest.NeedsPrograms(t, "go")
	want := undisturbed(t, suspendedRun)
	for _, c := range []struct {
		name  string
		fault string // where the process dies that takes over
		until func(t *testing.T, taker *e2e.Program, taken func() bool)
		owner int // exit code
	}{
		{"taken over and completed", "",
			func(t *testing.T, taker *e2e.Program, _ func() bool) { taker.Exit(t, 0) }, cmdline.ExitLocked},
		{"taken over a moment ago", "",
			func(t *testing.T, _ *e2e.Program, taken func() bool) { e2e.Eventually(t, "a takeover", taken) },
			cmdline.ExitLocked},
		{"taken over by one that died at once", "update.commit:1", dies, cmdline.ExitLocked},
		{"taken over by one that died at work", "commit.after:5", dies, cmdline.ExitLocked},
		{"left alone", "update.open:1", dies, 0},
	} {
		if !schematest.Long() && c.owner != 0 && c.fault == "" {
			continue // the deaths are the harder cases
		}
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			env := []string{"PODTRACK_FAULT_COMMIT=5ms", "PODTRACK_FAULT_LEASE=" + lease.String()}
			var store string
			var args []string
			var owner *e2e.Program
			var first *tracker.Lease
			inTime(t, func() bool {
				store = filepath.Join(t.TempDir(), "store.db")
				args = append([]string{"run", "--store", store}, suspendedRun...)
				owner = startFaulty(t, env, args...)
				first = suspend(t, owner, store)
				return first != nil
			})
			e2e.Eventually(t, "a lease that does not count", func() bool { return !first.IsAlive(time.Now(), lease) })

			taker := startFaulty(t, append(env, "PODTRACK_FAULT="+c.fault), args...)
			c.until(t, taker, func() bool {
				now := leaseOf(t, store)
				return now != nil && now.Token != first.Token
			})
			send(t, owner, syscall.SIGCONT)
			owner.Exit(t, c.owner)
			told := strings.Contains(owner.Said.String(), "another process took the run over")
			if told != (c.owner == cmdline.ExitLocked) {
				t.Errorf("the woken owner says %q", owner.Said.String())
			}
			if taker.ProcessState == nil {
				taker.Exit(t, 0)
			}
			if l := leaseOf(t, store); l != nil {
				e2e.Eventually(t, "a lease that does not count", func() bool { return !l.IsAlive(time.Now(), lease) })
			}
			startFaulty(t, env, args...).Exit(t, 0)
			checkRun(t, afterDeath(t, store), allTransactions, want)
			e2e.Perform(t, "replay", "--store", store, "@1")
		})
	}
}

func dies(t *testing.T, taker *e2e.Program, _ func() bool) {
	t.Helper()
	if !killed(t, taker) {
		t.Fatal("the process was to die")
	}
}

// suspend stops a process that has recorded some work, at a moment when it does
// not have the store locked, since no process could take over then. It returns the lease of
// the process, nil where the process came to its end before.
func suspend(t *testing.T, p *e2e.Program, path string) *tracker.Lease {
	t.Helper()
	complete := func() bool { runs := listIfAny(t, path); return len(runs) == 1 && runs[0].Status == tracker.Complete }
	e2e.Eventually(t, "a run at work", func() bool { return leaseOf(t, path) != nil && worked(t, path) || complete() })
	impatient := tracker.New(path, tracker.Options{Wait: time.Nanosecond})
	free := errors.New("nothing is to be changed")
	ended := false
	e2e.Eventually(t, "a moment without a lock", func() bool {
		if complete() {
			return true
		}
		send(t, p, syscall.SIGSTOP)
		if ended = !isStopped(t, p); ended {
			return true
		}
		err := impatient.Update(t.Context(), func(*tracker.Tx) error { return free })
		if errors.Is(err, free) {
			return true
		}
		if !errors.Is(err, tracker.ErrLocked) {
			t.Fatal(err)
		}
		send(t, p, syscall.SIGCONT)
		return false
	})
	if ended {
		return nil
	}
	l := leaseOf(t, path)
	if l == nil && complete() {
		send(t, p, syscall.SIGCONT) // of no effect on one that was not stopped
		p.Exit(t, cmdline.ExitDone)
		return nil
	}
	if l == nil || l.PID != p.Process.Pid {
		t.Fatalf("stopped process %d, but the lease is %+v", p.Process.Pid, l)
	}
	return l
}

func send(t *testing.T, p *e2e.Program, s syscall.Signal) {
	t.Helper()
	if err := p.Process.Signal(s); err != nil {
		t.Fatal(err)
	}
}

// isStopped waits until no thread of the process runs any more. It reports false where the
// process has ended with success, and has been waited for already.
func isStopped(t *testing.T, p *e2e.Program) bool {
	t.Helper()
	var status syscall.WaitStatus
	var err error
	for err = syscall.EINTR; err == syscall.EINTR; {
		_, err = syscall.Wait4(p.Process.Pid, &status, syscall.WUNTRACED, nil)
	}
	if err == nil && status.Exited() && status.ExitStatus() == cmdline.ExitDone {
		return false
	}
	if err != nil || !status.Stopped() {
		t.Fatalf("process %d was to stop: %v, status %#x\n%s", p.Process.Pid, err, status, p.Said.String())
	}
	return true
}

// leaseOf returns the lease of the only run, nil where there is none.
func leaseOf(t *testing.T, path string) (l *tracker.Lease) {
	t.Helper()
	err := tracker.New(path, tracker.Options{}).View(t.Context(), func(tx *tracker.Tx) error {
		for r, err := range tx.Runs() {
			if err != nil {
				return err
			}
			if l, err = tx.ReadLease(r.ID); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && !errors.Is(err, tracker.ErrNoStore) {
		t.Fatal(err)
	}
	return l
}

// worked reports whether the only run has steps on the disk.
func worked(t *testing.T, path string) (yes bool) {
	t.Helper()
	err := tracker.New(path, tracker.Options{}).View(t.Context(), func(tx *tracker.Tx) error {
		for r, err := range tx.Runs() {
			if err != nil {
				return err
			}
			c, err := tx.ReadCheckpoint(r.ID)
			if c == nil || err != nil {
				return err
			}
			at, err := recordedBy(tx, c)
			yes = at.steps > 0
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return yes
}
