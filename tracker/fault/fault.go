// Package fault is podtrack's own: it lets tests end the program at known points, to see what a crash leaves
// behind. It has no effect unless a program calls [Enable], as only tests do.
package fault

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Environment variables choose where an enabled program crashes, and shorten intervals:
//
//	PODTRACK_FAULT=POINT:N       ends the process by SIGKILL when it reaches POINT for the N-th time
//	PODTRACK_FAULT_COMMIT=1ms    is the default of Options.CommitEvery
//	PODTRACK_FAULT_LEASE=300ms   is the default of Options.LeaseAfter, and a sixth of it that of Options.Heartbeat
//
// The points, and the state of the disk at each:
//
//	tempdir.made         the folder of a new file exists, and is empty
//	tempdir.marked       it contains the marker
//	create.temp          the new store is on the disk under its temporary name
//	create.link          it also has its own name
//	create.unlink        it has only its own name; the folder is not synced yet
//	update.open          Update has the file and its lock, and no transaction yet
//	update.change        all changes are made, in memory
//	update.commit        the changes are on the disk; the file is still open and locked
//	commit.before        the group commit knows what it will write, and has not opened the file
//	commit.after         the commit is on the disk and the file is closed; the runs were not notified
//	backup.followed      nearly all of the store is copied to the backup's temporary file
//	backup.proved        all of it is copied, and was verified there
//	backup.settled       the copy is synced; it does not have its name yet
//	compact.copied       the compacted store is on the disk under its temporary name
//	compact.renamed      the compacted store has the store's name; the folder is not synced yet
//	compact.synced       the folder is synced; the old file is still locked
//	repair.finished      the repaired store is on the disk under its temporary name
//	repair.link          the damaged file has a second name, and is locked
//	reclaim.content      the content of a leftover folder is removed
//	reclaim.marker       its marker is removed too
//	commit.acknowledge   the runs were notified; the owner of a released run was not
//
// A malformed variable causes a panic, since the test would not test what it intends.
const (
	faultVar  = "PODTRACK_FAULT"
	commitVar = "PODTRACK_FAULT_COMMIT"
	leaseVar  = "PODTRACK_FAULT_LEASE"
)

var faultPlan struct {
	sync.Mutex
	read  bool
	point string
	left  int // remaining visits of the point, including the one that kills
}

var enabled bool

var onStep atomic.Pointer[func()]

// OnStep sets the function that [Step] calls; nil removes it. f may be called concurrently.
func OnStep(f func()) {
	if f == nil {
		onStep.Store(nil)
		return
	}
	onStep.Store(&f)
}

// Step calls the function given to [OnStep], if any. Transactions call it before they read a row or a record.
func Step() {
	if f := onStep.Load(); f != nil {
		(*f)()
	}
}

// Enable makes this process obey the environment variables. It must be called before any other function of this
// package, while the process has one goroutine.
func Enable() { enabled = true }

// At kills the process if it is enabled and the environment names this point.
func At(point string) {
	if !enabled {
		return
	}
	faultPlan.Lock() // held forever if the process is killed, so that nothing else continues
	if !faultPlan.read {
		faultPlan.read = true
		faultPlan.point, faultPlan.left = parseFault(os.Getenv(faultVar))
	}
	if point == faultPlan.point {
		if faultPlan.left--; faultPlan.left == 0 {
			killProcess()
		}
	}
	faultPlan.Unlock()
}

func parseFault(text string) (point string, n int) {
	if text == "" {
		return "", 0
	}
	point, times, _ := strings.Cut(text, ":")
	n, err := strconv.Atoi(times)
	if err != nil || n < 1 {
		panic(fmt.Sprintf("%s=%q is not POINT:N", faultVar, text))
	}
	return point, n
}

// killProcess ends the process without running deferred functions or closing anything. It does not return.
func killProcess() {
	p, err := os.FindProcess(os.Getpid())
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		panic(err)
	}
	select {}
}

// Intervals returns the time between group commits, the age at which a lease is stale and the interval of heartbeats,
// as the environment sets them, or 0.
func Intervals() (commitEvery, leaseAfter, heartbeat time.Duration) {
	leaseAfter = readDurationVar(leaseVar)
	return readDurationVar(commitVar), leaseAfter, leaseAfter / 6
}

func readDurationVar(name string) time.Duration {
	text := os.Getenv(name)
	if !enabled || text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil || d <= 0 {
		panic(fmt.Sprintf("%s=%q is not a duration", name, text))
	}
	return d
}
