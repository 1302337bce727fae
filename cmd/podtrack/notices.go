package main

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

// maxNotices bounds the lines about single runs; --json has all.
const maxNotices = 8

// printSome writes the first of many lines about single things.
func printSome(w io.Writer, most int, lines []string) {
	for _, line := range lines[:min(len(lines), most)] {
		printLine(w, "%s", line)
	}
	if more := len(lines) - most; more > 0 {
		fmt.Fprintf(w, "… and %d more, which --json lists\n", more)
	}
}

// maxLines bounds the lines about single damages; --json has all.
const maxLines = 40

func plural(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func countOf(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

// roughly is a time in seconds as exact as an estimate is.
func roughly(seconds float64) string {
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

// nameOf is the program's name and those of the commands down to this one.
func nameOf(c *cli.Context) string {
	var names []string
	for _, up := range c.Lineage() {
		if up.Command != nil && up.Command.Name != "" && up.Command.Name != "podtrack" {
			names = append([]string{up.Command.Name}, names...)
		}
	}
	return strings.Join(append([]string{"podtrack"}, names...), " ")
}

// commandLine is words as a shell reads them, the first one as it is.
func commandLine(words []string) string {
	line := words[0]
	for _, word := range words[1:] {
		line += " " + schema.ShellQuote(word)
	}
	return line
}

// thisProgram is how the program was called. What go run builds is gone by the
// time that somebody reads its name.
func thisProgram() string {
	if strings.Contains(os.Args[0], string(filepath.Separator)+"go-build") {
		return "go run ./cmd/podtrack"
	}
	return schema.ShellQuote(os.Args[0])
}

func printNotes(w io.Writer, notes []string) {
	for _, n := range notes {
		printLine(w, "%s", n)
	}
}
