package command

import (
	"fmt"
	"io"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// verifyEvaluations verifies the evaluations of the runs one after another, since each uses all
// processors. With a sample, it verifies none.
func verifyEvaluations(c *cli.Context, runs []report.Run, only *int,
	sample *replay.Sample) ([][]evaluate.Verification, error) {
	all := make([][]evaluate.Verification, len(runs))
	if sample != nil {
		return all, nil
	}
	for i, r := range runs {
		var err error
		if all[i], err = evaluate.Verify(c.Context, cmdline.OpenStore(c), r.Source, only); err != nil {
			return all, err
		}
	}
	return all, nil
}

// printVerifiedEvaluations prints a table with one row per evaluation, and nothing if there are
// none.
func printVerifiedEvaluations(w io.Writer, runs []report.Run, all [][]evaluate.Verification) error {
	g := table.New(table.Left("run"), table.Right("k"), table.Left("evaluation"), table.Left("verdict"), table.Left("why"))
	for i, verified := range all {
		for _, j := range verified {
			g.Add(runs[i].Label(), fmt.Sprint(j.K), j.Digest.String()[:12], string(j.Verdict), j.Reason)
		}
	}
	if len(g.Rows) == 0 {
		return nil
	}
	fmt.Fprintln(w)
	return g.Print(w, table.Formats[0])
}

// evaluationVerdict returns the error for the verified evaluations.
func evaluationVerdict(all [][]evaluate.Verification) error {
	bad, unverified, first := 0, 0, ""
	for _, verified := range all {
		for _, j := range verified {
			switch j.Verdict {
			case replay.Identical:
				continue
			case replay.Unverified:
				unverified++
				continue
			}
			if bad++; bad == 1 {
				first = j.Reason
			}
		}
	}
	switch {
	case bad > 0:
		return schema.Hint(fmt.Errorf("%w: evaluations that do not hold: %d; the first: %s", cmdline.ErrDifference, bad,
			first),
			"these records were altered, damaged, or made by another program; or agents learned in one that is not "+
				"reproducible")
	case unverified > 0:
		return schema.Hint(fmt.Errorf("evaluations whose options cannot be read, or whose program was not given (%d) %w",
			unverified, replay.ErrUnverifiable),
			"podtrack repair --pruned RUN brings back what was pruned; --env runs the program in which agents learned")
	}
	return nil
}

// worse returns the first error, or the second if that one is more specific.
func worse(a, b error) error {
	if a == nil || b != nil && cmdline.ExitCode(b) == cmdline.ExitDifference &&
		cmdline.ExitCode(a) != cmdline.ExitDifference {
		return b
	}
	return a
}
