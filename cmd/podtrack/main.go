// Command podtrack discovers options with POD and keeps every artefact of it as
// a record that can be proved. Run podtrack help for its commands.
package main

import (
	"os"
	"runtime/debug"

	"github.com/podtrack/podtrack/tracker"
)

func main() {
	if err := checkOpenFiles(); err != nil {
		os.Exit(fail(os.Stderr, err))
	}
	if err := tracker.ReserveHeap(); err != nil {
		os.Exit(fail(os.Stderr, err))
	}
	limitHeap()
	os.Exit(execute(untilSignal(), os.Args, os.Stdout, os.Stderr))
}

// limitHeap makes the collector work harder near a limit that was set for this process
// or its group: unless told, it lets garbage double the heap. Something is left for the
// store, which is mapped. GOMEMLIMIT goes first.
func limitHeap() {
	const mapped, least = 128 << 20, 90 << 20
	if free, limited := tracker.FreeMemoryUnderLimits(); limited && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(max(free-mapped, least))
	}
}
