package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/urfave/cli/v2"
)

// unfinished returns the plans that are not complete.
func unfinished(plans []report.Progress) []report.Progress {
	return slices.DeleteFunc(slices.Clone(plans), report.Progress.Done)
}

// printPlans prints how far tags with plans are, of which plans a tag consists, and how the runs are made that none of
// them has begun.
func printPlans(w io.Writer, tags []report.Progress) {
	for _, p := range tags {
		fmt.Fprintln(w, planLine(p))
		for i, plan := range p.Plans {
			if i == maxPlansListed {
				fmt.Fprintf(w, "  and %s: podtrack sweep plans %s\n", cmdline.Plural(len(p.Plans)-i, "more plan"),
					textform.ShellQuote(p.Tag))
				break
			}
			if len(p.Plans) > 1 {
				fmt.Fprintf(w, "  plan %.7s: %s of %s, %d missing\n", plan.Plan, cmdline.Plural(plan.Runs, "run"),
					cmdline.Plural(plan.Iterations, "iteration"), plan.Missing)
			}
		}
		if how := howToMake(p); how != "" {
			fmt.Fprintf(w, "  %s\n  podtrack sweep plans %s lists what is planned; --drop drops it\n", how,
				textform.ShellQuote(p.Tag))
		}
	}
}

// maxPlansListed limits the plans of a tag that are listed below it.
const maxPlansListed = 10

// howToMake returns how the missing runs of a tag are made, "" if none is missing or runs are being made. A plan does
// not have the sweep's flags, but its folder does.
func howToMake(p report.Progress) string {
	if p.Missing == 0 || p.Running > 0 {
		return ""
	}
	var commands []string
	for _, plan := range p.Plans {
		command := "podtrack sweep … --tag " + textform.ShellQuote(p.Tag) + ", with its other flags"
		if plan.Folder != "" {
			command = "podtrack sweep --folder " + textform.ShellQuote(plan.Folder) + ", then the same with --gather"
		}
		if plan.Missing > 0 && !slices.Contains(commands, command) {
			commands = append(commands, command)
		}
	}
	return fmt.Sprintf("the sweep's command, given again, makes the %s: %s", cmdline.Plural(p.Missing, "missing run"),
		strings.Join(commands, "; "))
}

// noteUndecided prints a note if planned runs that do not exist yet are not counted, with the terms of the filter that
// need a run.
func noteUndecided(w io.Writer, s report.Snapshot) {
	if len(s.Undecided) > 0 {
		cmdline.PrintNotes(w, []string{fmt.Sprintf("planned runs that do not exist yet are not counted: %s cannot be "+
			"decided without a run", strings.Join(s.Undecided, " "))})
	}
}

// progressRow is a line of JSON about a tag with plans.
type progressRow struct {
	Type string `json:"type"`
	report.Progress
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
