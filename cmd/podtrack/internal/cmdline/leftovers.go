package cmdline

import (
	"fmt"
	"io"

	"github.com/podtrack/podtrack/tracker"
)

// PrintLeftovers lists what was removed, and what may have to be.
func PrintLeftovers(w io.Writer, l tracker.Leftovers) {
	var lines []string
	for _, path := range l.Removed {
		lines = append(lines, fmt.Sprintf("removed %s, which a killed podtrack left behind", path))
	}
	for _, u := range l.Untouched {
		lines = append(lines, fmt.Sprintf("left alone: %v", u))
	}
	PrintSome(w, MaxNotices, lines)
}
