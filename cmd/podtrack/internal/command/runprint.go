package command

import (
	"encoding/json"
	"errors"
	"io"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// runResult is the output of run for one run.
type runResult struct {
	Type string `json:"type"`
	report.Run
}

// printFinished prints the result of run for a single run.
func printFinished(w io.Writer, d report.Detail, o replay.Outcome) error {
	printHead(w, d)
	if err := newIterationTable(d, false).Print(w, table.Formats[0]); err != nil {
		return err
	}
	if err := printPurposes(w, d); err != nil {
		return err
	}
	printFit(w, d)
	printFindings(w, d.Findings)
	if o.Err == nil {
		printNextCommand(w, d, o)
	}
	return nil
}

// printNextCommand prints what was done by a run that did not fail, and what shows or continues it.
func printNextCommand(w io.Writer, d report.Detail, o replay.Outcome) {
	label := textform.ShellQuote(d.Label())
	switch {
	case o.Resumed == o.Iterations && d.Status != tracker.Complete:
		table.PrintWrapped(w, "\nThere already: nothing was run. podtrack resume %s continues to %d iterations.", label,
			d.Target)
	case o.Resumed == o.Iterations && d.Env == pod.RowsName:
		table.PrintWrapped(w, "\nComplete already: nothing was run.")
	case o.Resumed == o.Iterations:
		table.PrintWrapped(w, "\nComplete already: nothing was run. --iterations %d continues it.", o.Iterations+1)
	case d.Keep != nil:
		table.PrintWrapped(w, "\nEvery digest and all that is kept is recorded. podtrack show %s lists it.", label)
	case d.Env == pod.RowsName:
		table.PrintWrapped(w, "\nEvery artefact is recorded. podtrack show %s shows more, with --json all numbers.", label)
	default:
		table.PrintWrapped(w, "\nEvery artefact is recorded. podtrack show %s and podtrack options %s show more.\n"+
			"podtrack help glossary defines the columns.", label, label)
	}
}

// printRunLines writes one JSON document per line.
func printRunLines(c *cli.Context, runs []report.Run) error {
	e := json.NewEncoder(c.App.Writer)
	var errs []error
	for _, r := range runs {
		errs = append(errs, e.Encode(runResult{Type: "run", Run: r}))
	}
	return errors.Join(errs...)
}
