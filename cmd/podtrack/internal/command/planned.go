package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/urfave/cli/v2"
)

// unfinished returns the plans that are not complete.
func unfinished(plans []report.Progress) []report.Progress {
	return slices.DeleteFunc(slices.Clone(plans), report.Progress.Done)
}

// printPlans prints how far plans are, and how the runs are made that none of them has begun.
func printPlans(w io.Writer, plans []report.Progress) {
	for _, p := range plans {
		fmt.Fprintln(w, planLine(p))
		if how := howToMake(p); how != "" {
			fmt.Fprintf(w, "  %s\n", how)
		}
	}
}

// howToMake returns how the missing runs of a plan are made, "" if none is missing or runs are being made. A plan does
// not have the sweep's flags, but its folder does.
func howToMake(p report.Progress) string {
	if p.Missing == 0 || p.Running > 0 {
		return ""
	}
	command := "podtrack sweep … --tag " + textform.ShellQuote(p.Tag) + ", with its other flags"
	if p.Folder != "" {
		command = "podtrack sweep --folder " + textform.ShellQuote(p.Folder) + ", then the same with --gather"
	}
	return fmt.Sprintf("the sweep's command, given again, makes the %s: %s", cmdline.Plural(p.Missing, "missing run"),
		command)
}

// tellMissing prints the plans of which runs are missing, on stderr. With --json it also writes a
// line for each to stdout.
func tellMissing(c *cli.Context) error {
	plans, err := loadProgress(c)
	plans = slices.DeleteFunc(unfinished(plans), func(p report.Progress) bool { return p.Missing == 0 })
	printPlans(c.App.ErrWriter, plans)
	if !c.Bool("json") {
		return err
	}
	lines, errs := json.NewEncoder(c.App.Writer), []error{err}
	for _, p := range plans {
		errs = append(errs, lines.Encode(progressRow{"progress", p}))
	}
	return errors.Join(errs...)
}
