package run

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table1"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

var _ = cmdline.Register(cmdline.Command{
	Name: "reproduce", Group: cmdline.GroupRun, Place: 6,
	Example: "podtrack reproduce table1 --runs 2",
	Usage:   "reproduce the paper's results, and a study of exploration",
	Args:    "RESULT",
	Make:    func() ([]cli.Flag, cli.ActionFunc) { return nil, refuseResult },
})

// refuseResult returns an error for a result that cannot be reproduced.
func refuseResult(c *cli.Context) error {
	if c.NArg() == 0 {
		return schema.Hint(fmt.Errorf("reproduce needs the name of a result"), reproduceHint)
	}
	name, hint := c.Args().First(), reproduceHint
	if near := textfmt.Suggest(name, []string{"table1", "figure1", "exploration", "paper"}); near != "" {
		hint = "did you mean podtrack reproduce " + near + "? The results are table1, figure1, exploration and paper"
	}
	return schema.Hint(fmt.Errorf("unknown result %q", name), "%s", hint)
}

var _ = cmdline.Register(cmdline.Command{
	Name: "reproduce table1", Place: 1,
	Example: "podtrack reproduce table1 --runs 2",
	JSON:    []any{table1.Table{}},
	Usage:   "run both readings under both observabilities and compare them with Table 1",
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var t tabling
		return []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(), t.ParallelFlag(), runner.RunsFlag(&t.runs),
		}, cmdline.Answering(t.reproduce)
	},
})

// tabling is the command reproduce table1, with its flags.
type tabling struct {
	runner.Flags
	runs *string
}

const reproduceHint = "podtrack reproduce table1, podtrack reproduce figure1, podtrack reproduce exploration or " +
	"podtrack reproduce paper"

func (t *tabling) reproduce(c *cli.Context) (a cmdline.Answer, err error) {
	if err := cmdline.NoArgs(c, "--runs N takes seeds 0 to N − 1; --store says where they go"); err != nil {
		return a, err
	}
	runs, err := runner.ParseRuns(t.runs)
	if err != nil {
		return a, err
	}
	specs, err := table1.AllSpecs(runs)
	if err != nil {
		return a, err
	}
	var jobs []replay.Job
	for _, s := range specs {
		jobs = append(jobs, replay.Job{Spec: s, Target: table1.Columns})
	}
	if _, err := t.RunJobs(c, jobs, nil); err != nil {
		return a, err
	}
	var measured table1.Table
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		measured, err = table1.Measure(tx, runs)
		return err
	})
	return cmdline.Answer{
		JSON:   measured,
		Text:   func(w table.Text) { printTable1(w, measured) },
		Tables: func() table.List { return table.List{newTable1Table(measured)} },
	}, err
}
