package main

import (
	"fmt"
	"io"

	"github.com/podtrack/podtrack/tracker"
)

// printLeftovers lists what was removed, and what may have to be.
func printLeftovers(w io.Writer, l tracker.Leftovers) {
	var lines []string
	for _, path := range l.Removed {
		lines = append(lines, fmt.Sprintf("removed %s, which a killed podtrack left behind", path))
	}
	for _, u := range l.Untouched {
		lines = append(lines, fmt.Sprintf("left alone: %v", u))
	}
	printSome(w, maxNotices, lines)
}
