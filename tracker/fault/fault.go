// Package fault is podtrack's own: it lets tests end the program at known points, to see what a crash leaves behind.
// Nothing here has an effect unless a program calls [Enable], as only tests do.
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
//	PODTRACK_FAULT=POINT:N       ends the process by SIGKILL when it comes to POINT for the N-th time
//	PODTRACK_FAULT_COMMIT=1ms    stands for Options.CommitEvery where that is 0
//	PODTRACK_FAULT_LEASE=300ms   stands for Options.LeaseAfter where that is 0, a sixth of it for Options.Heartbeat
//
// Transactions end at the points, so that what is on the disk there is known:
//
//	tempdir.made         the folder of a new file is there, and empty
//	tempdir.marked       the marker is in it
//	create.temp          the new store is on the disk under its temporary name
//	create.link          it has its own name, too
//	create.unlink        it has only that; the folder is not synced yet
//	write.temp           a small file is on the disk under its temporary name
//	update.open          Update has the file and its lock, and no transaction yet
//	update.change        all changes are made, in memory
//	update.commit        they are on the disk; the file is still open and locked
//	commit.before        the group commit knows what it will write, and has not asked for the file
//	commit.after         it is on the disk and the file is closed; the runs do not know
//	backup.followed      nearly all of the store is copied to the backup's temporary file
//	backup.proved        all of it is, and was read there
//	backup.settled       and it is on the disk; it has not its name yet
//	compact.copied       the compacted store is on the disk under its temporary name
//	compact.renamed      it has the store's name; the folder is not synced yet
//	compact.synced       the folder is; the old file is still locked
//	repair.finished      the repaired store is on the disk under its temporary name
//	repair.link          the damaged file has a second name, and nobody else can use it
//	reclaim.content      the content of a folder that was left behind is removed
//	reclaim.marker       its marker is, too
//	commit.acknowledge   the runs know; the owner of a released run is about to be notified
//
// A malformed variable causes a panic, since the test would not test what it intends.
const (
	faultVar  = "PODTRACK_FAULT"
	commitVar = "PODTRACK_FAULT_COMMIT"
	leaseVar  = "PODTRACK_FAULT_LEASE"
)

// beatsPerLease is the number of heartbeats within LeaseAfter.
const beatsPerLease = 6

var faultPlan struct {
	sync.Mutex
	read  bool
	point string
	left  int // times that the point is still to be passed, this one included
}

var enabled bool

var onStep atomic.Pointer[func()]

// OnStep sets the function that [Step] calls; nil removes it. Many goroutines may call f at once.
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

// Enable makes this process obey the environment variables. Call it before anything else of this package, while the
// process has one goroutine.
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

// killProcess ends the process without running deferred functions or closing anything. It does not
// return.
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

// CommitEvery returns the time between group commits that the environment sets, or 0.
func CommitEvery() time.Duration { return readDurationVar(commitVar) }

// LeaseAfter returns the time after which a lease is stale that the environment sets, or 0.
func LeaseAfter() time.Duration { return readDurationVar(leaseVar) }

// Heartbeat returns the interval of heartbeats that fits [LeaseAfter], or 0.
func Heartbeat() time.Duration { return LeaseAfter() / beatsPerLease }

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
