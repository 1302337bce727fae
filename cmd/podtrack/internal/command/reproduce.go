package command

import (
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/plot"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/table1"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

func reproduceCommand() *cli.Command {
	return &cli.Command{
		Name:  "reproduce",
		Usage: "reproduce the paper's results, and a study of exploration",
		Subcommands: []*cli.Command{{
			Name:  "table1",
			Usage: "run both readings under both observabilities and set them beside Table 1",
			Flags: []cli.Flag{
				cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(), runner.ParallelFlag(), runner.RunsFlag(),
			},
			Action: cmdline.Answering(reproduceTable1),
		}, plot.Figure1Command(), explorationCommand()},
		Action: func(c *cli.Context) error {
			if c.NArg() == 0 {
				return schema.Hint(fmt.Errorf("reproduce what?"), reproduceHint)
			}
			name, hint := c.Args().First(), reproduceHint
			if near := textform.Suggest(name, []string{"table1", "figure1", "exploration"}); near != "" {
				hint = "did you mean podtrack reproduce " + near + "? The results are table1, figure1 and exploration"
			}
			return schema.Hint(fmt.Errorf("reproduce does not know %q", name), "%s", hint)
		},
	}
}

const reproduceHint = "podtrack reproduce table1, podtrack reproduce figure1 or podtrack reproduce exploration"

func reproduceTable1(c *cli.Context) (a cmdline.Answer, err error) {
	if err := cmdline.NoArgs(c, "--runs N takes seeds 0 to N − 1; --store says where they go"); err != nil {
		return a, err
	}
	var given *string
	if text := c.String("runs"); c.IsSet("runs") {
		given = &text
	}
	runs, err := runner.ParseRuns(given)
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
	if _, err := runner.RunJobs(c, jobs, nil); err != nil {
		return a, err
	}
	var t table1.Table
	err = cmdline.OpenStore(c).View(c.Context, func(tx *tracker.Tx) error {
		t, err = table1.Measure(tx, runs)
		return err
	})
	return cmdline.Answer{
		JSON:   t,
		Text:   func(w table.Text) { printTable1(w, t) },
		Tables: func() table.List { return table.List{newTable1Table(t)} },
	}, err
}
