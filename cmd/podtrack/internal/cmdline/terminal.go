package cmdline

import (
	"io"
	"os"

	"golang.org/x/term"
)

// IsTerminal reports whether w writes to a terminal.
func IsTerminal(w io.Writer) bool {
	f, ok := RawWriter(w).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
