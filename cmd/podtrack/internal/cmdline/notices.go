package cmdline

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker/tempfile"

	"github.com/urfave/cli/v2"
)

// MaxNotices bounds the number of lines about single runs. --json prints all of them.
const MaxNotices = 8

// PrintSome prints up to most of the lines, and how many more there are.
func PrintSome(w io.Writer, most int, lines []string) {
	PrintLines(w, lines[:min(len(lines), most)])
	if more := len(lines) - most; more > 0 {
		fmt.Fprintf(w, "… and %d more, which --json lists\n", more)
	}
}

// MaxLines bounds the number of lines about damaged records. --json prints all of them.
const MaxLines = 40

// NameOf returns the full name of a command, such as "podtrack reproduce table1".
func NameOf(c *cli.Context) string { return c.Command.HelpName }

// CommandLine returns words quoted for a shell. The first one is left as it is.
func CommandLine(words []string) string {
	return strings.Join(append([]string{words[0]}, textfmt.Map(words[1:], textfmt.ShellQuote)...), " ")
}

// ThisProgram returns the shell command that started the program. For programs built by
// go run this is go run itself, since their files are temporary.
func ThisProgram() string {
	if strings.Contains(os.Args[0], string(filepath.Separator)+"go-build") {
		return "go run ./cmd/podtrack"
	}
	return textfmt.ShellQuote(os.Args[0])
}

// PrintLines prints each of some texts on one line.
func PrintLines(w io.Writer, lines []string) {
	for _, line := range lines {
		PrintLine(w, "%s", line)
	}
}

// PrintNotes prints each note on one line.
func PrintNotes(w io.Writer, notes []string) { PrintLines(w, textfmt.Map(notes, NoteLine)) }

// NoteLine returns the line of a note on standard error. It begins with a word by which programs tell it from progress.
func NoteLine(text string) string { return "note: " + text }

// PrintLeftovers lists the leftovers of killed processes that were removed, and those
// that were left alone.
func PrintLeftovers(w io.Writer, l tempfile.Leftovers) {
	lines := textfmt.Map(l.Removed,
		func(path string) string { return fmt.Sprintf("removed %s, which a killed podtrack left behind", path) })
	for _, u := range l.Untouched {
		lines = append(lines, fmt.Sprintf("left alone: %v", u))
	}
	PrintSome(w, MaxNotices, lines)
}
