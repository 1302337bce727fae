// Package command has podtrack's commands, one file a verb with its printing beside it;
// the large ones are packages of their own below this one.
//
// Read app.go first: it lists the commands. Each reads flags and references by package
// cmdline, makes jobs of specs by package runner, asks the packages under replay, and
// prints tables by package table. None of those imports this package.
package command

import (
	"os"
	"runtime/debug"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/tracker"
)

// Main executes the command that the process was given and returns its exit code.
func Main() int {
	if err := cmdline.CheckOpenFiles(); err != nil {
		return cmdline.Fail(os.Stderr, err)
	}
	if err := tracker.ReserveHeap(); err != nil {
		return cmdline.Fail(os.Stderr, err)
	}
	limitHeap()
	return Execute(cmdline.UntilSignal(), os.Args, os.Stdout, os.Stderr)
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
