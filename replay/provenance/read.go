package provenance

import (
	"context"
	"os"

	"github.com/podtrack/podtrack/tracker"
)

// Read returns the code of this process: its command line, its directory and the commit there.
func Read(ctx context.Context) *tracker.Code {
	dir, _ := os.Getwd() // empty if it was removed
	commit, changed := readCommit(ctx, dir)
	return &tracker.Code{Args: os.Args, Directory: dir, Commit: commit, Changed: changed}
}
