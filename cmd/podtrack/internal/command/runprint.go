package command

import (
	"encoding/json"
	"errors"

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
func printFinished(w table.Text, d report.Detail, o replay.Outcome) {
	printHead(w, d)
	w.Table(newIterationTable(d, false))
	printPurposes(w, d)
	printFit(w, d)
	printFindings(w, d.Findings)
	if o.Err == nil {
		printNextCommand(w, d, o)
	}
}

// printNextCommand prints what was done by a run that did not fail, and what shows or continues it.
func printNextCommand(w table.Text, d report.Detail, o replay.Outcome) {
	label := textform.ShellQuote(d.Label())
	switch {
	case o.Resumed == o.Iterations && d.Status != tracker.Complete:
		w.Wrapped("\nThere already: nothing was run. podtrack resume %s continues to %d iterations.", label,
			d.Target)
	case o.Resumed == o.Iterations && d.Env == pod.RowsName:
		w.Wrapped("\nComplete already: nothing was run.")
	case o.Resumed == o.Iterations:
		w.Wrapped("\nComplete already: nothing was run. --iterations %d continues it.", o.Iterations+1)
	case d.Keep != nil:
		w.Wrapped("\nEvery digest and all that is kept is recorded. podtrack show %s lists it.", label)
	case d.Env == pod.RowsName:
		w.Wrapped("\nEvery artefact is recorded. podtrack show %s shows more, with --json all numbers.", label)
	default:
		w.Wrapped("\nEvery artefact is recorded. podtrack show %s and podtrack options %s show more.\n"+
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
