package main

import (
	"fmt"
	"io"

	"github.com/podtrack/podtrack/tracker"
)

// printLeftovers lists what was removed, and what may have to be.
func printLeftovers(w io.Writer, l tracker.Leftovers) {
	for _, path := range l.Removed {
		fmt.Fprintf(w, "removed %s, which a killed podtrack left behind\n", path)
	}
	for _, u := range l.Untouched {
		fmt.Fprintf(w, "left alone: %v\n", u)
	}
}
