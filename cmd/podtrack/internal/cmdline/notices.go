package cmdline

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// MaxNotices bounds the lines about single runs; --json has all.
const MaxNotices = 8

// PrintSome writes the first of many lines about single things.
func PrintSome(w io.Writer, most int, lines []string) {
	for _, line := range lines[:min(len(lines), most)] {
		PrintLine(w, "%s", line)
	}
	if more := len(lines) - most; more > 0 {
		fmt.Fprintf(w, "… and %d more, which --json lists\n", more)
	}
}

// MaxLines bounds the lines about single damages; --json has all.
const MaxLines = 40

func Plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func CountOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// Roughly is a time in seconds as exact as an estimate is.
func Roughly(seconds float64) string {
	const minute, hour, day = 60, 3600, 24 * 3600
	for _, unit := range []struct {
		below, size float64
		name        string
	}{{100, 1, "s"}, {100 * minute, minute, "min"}, {72 * hour, hour, "h"}} {
		if seconds < unit.below {
			return fmt.Sprintf("%.0f %s", max(1, math.Round(seconds/unit.size)), unit.name)
		}
	}
	return fmt.Sprintf("%.0f days", seconds/day)
}

// NameOf is the program's name and those of the commands down to this one.
func NameOf(c *cli.Context) string {
	var names []string
	for _, up := range c.Lineage() {
		if up.Command != nil && up.Command.Name != "" && up.Command.Name != "podtrack" {
			names = append([]string{up.Command.Name}, names...)
		}
	}
	return strings.Join(append([]string{"podtrack"}, names...), " ")
}

// CommandLine is words as a shell reads them, the first one as it is.
func CommandLine(words []string) string {
	line := words[0]
	for _, word := range words[1:] {
		line += " " + schema.ShellQuote(word)
	}
	return line
}

// ThisProgram is how the program was called. What go run builds is gone by the
// time that somebody reads its name.
func ThisProgram() string {
	if strings.Contains(os.Args[0], string(filepath.Separator)+"go-build") {
		return "go run ./cmd/podtrack"
	}
	return schema.ShellQuote(os.Args[0])
}

func PrintNotes(w io.Writer, notes []string) {
	for _, n := range notes {
		PrintLine(w, "%s", n)
	}
}
