package command

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
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
	if o.Err == nil && o.Resumed == o.Iterations {
		if d.Status != tracker.Complete {
			_, err := fmt.Fprintf(w, "\nThere already: nothing was run. podtrack resume %s continues to %d iterations.\n",
				schema.ShellQuote(d.Label()), d.Target)
			return err
		}
		goesOn := fmt.Sprintf(" --iterations %d continues it.", o.Iterations+1)
		if d.Env == pod.RowsName {
			goesOn = ""
		}
		_, err := fmt.Fprintf(w, "\nComplete already: nothing was run.%s\n", goesOn)
		return err
	}
	if o.Err == nil && d.Keep != nil {
		_, err := fmt.Fprintf(w, "\nEvery digest and all that is kept is recorded. podtrack show %s lists it.\n",
			schema.ShellQuote(d.Label()))
		return err
	}
	if o.Err == nil && d.Env == pod.RowsName {
		_, err := fmt.Fprintf(w, "\nEvery artefact is recorded. podtrack show %s shows more, with --json all numbers.\n",
			schema.ShellQuote(d.Label()))
		return err
	}
	if o.Err == nil {
		_, err := fmt.Fprintf(w, "\nEvery artefact is recorded. podtrack show %s and podtrack options %s show more.\n"+
			"podtrack help glossary defines the columns.\n",
			schema.ShellQuote(d.Label()), schema.ShellQuote(d.Label()))
		return err
	}
	return nil
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
