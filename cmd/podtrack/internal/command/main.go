// Package command is podtrack's command line. Its commands stand in one package for each group of podtrack help, one
// file a command with its printing beside it: run, inspect, compare, show, share and store. The group "The program" is
// in this package.
//
// A command registers itself with package cmdline, which reads flags and references and prints answers; package runner
// turns specs into jobs; packages runview, groupview, diffview and audit print what several commands show.
package command

import (
	"io"
	"os"
	"runtime/debug"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/tracker/memory"
)

// Main executes the command line of the process, which answers on stdout, and returns its exit code.
func Main(stdout io.Writer) int {
	cmdline.CatchFileSizeSignal()
	if err := cmdline.CheckOpenFiles(); err != nil {
		return cmdline.Fail(os.Stderr, err)
	}
	if err := memory.ReserveHeap(); err != nil {
		return cmdline.Fail(os.Stderr, err)
	}
	limitHeap()
	return Execute(cmdline.UntilSignal(), os.Args, stdout, os.Stderr)
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
