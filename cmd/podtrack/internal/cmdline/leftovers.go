package cmdline

import (
	"fmt"
	"io"

	"github.com/podtrack/podtrack/tracker/tempfile"
)

// PrintLeftovers lists the leftovers of killed processes that were removed, and those
// that were left alone.
func PrintLeftovers(w io.Writer, l tempfile.Leftovers) {
	var lines []string
	for _, path := range l.Removed {
		lines = append(lines, fmt.Sprintf("removed %s, which a killed podtrack left behind", path))
	}
	for _, u := range l.Untouched {
		lines = append(lines, fmt.Sprintf("left alone: %v", u))
	}
	PrintSome(w, MaxNotices, lines)
}
