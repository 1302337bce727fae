// Package command implements podtrack's commands: one file per command, with its printing beside it.
// The large commands are packages of their own below this one.
//
// Read app.go first: it lists the commands. A command reads flags and references with package
// cmdline, turns specs into jobs with package runner, calls the packages under replay, and prints
// tables with package table. None of those imports this package.
package command

import (
	"os"
	"runtime/debug"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/tracker/memory"
)

// Main executes the command line of the process and returns its exit code.
func Main() int {
	cmdline.CatchFileSizeSignal()
	if err := cmdline.CheckOpenFiles(); err != nil {
		return cmdline.Fail(os.Stderr, err)
	}
	if err := memory.ReserveHeap(); err != nil {
		return cmdline.Fail(os.Stderr, err)
	}
	limitHeap()
	return Execute(cmdline.UntilSignal(), os.Args, os.Stdout, os.Stderr)
}

// limitHeap limits the heap to the free memory under the limits of this process and its control
// group, less a reserve for the memory-mapped store. By default, the collector lets garbage double
// the heap. An explicit GOMEMLIMIT takes precedence.
func limitHeap() {
	const mapped, least = 128 << 20, 90 << 20
	if free, limited := memory.FreeUnderLimits(); limited && os.Getenv("GOMEMLIMIT") == "" {
		debug.SetMemoryLimit(max(free-mapped, least))
	}
}
