package command

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

func resumeCommand() *cli.Command {
	return &cli.Command{
		Name:      "resume",
		Usage:     "continue interrupted runs from their checkpoints",
		ArgsUsage: "[RUN… | FILTER]",
		Description: `Without arguments it continues the one run that is interrupted or failed. It says
on stderr where it continues, and what the process before had not saved.`,
		Flags: append(runner.OutsideFlags(),
			cmdline.StoreFlag(), cmdline.JsonFlag(), runner.ParallelFlag(),
			&cli.BoolFlag{Name: "all", Usage: "continue every run that is interrupted or failed"},
			&cli.StringFlag{Name: "iterations", Usage: "continue until there are `N`", DefaultText: "the run's own target"},
		),
		Action: resume,
	}
}

func resume(c *cli.Context) error {
	launcher, err := runner.ParseLauncher(c)
	if err != nil {
		return err
	}
	runs, err := selectToResume(c)
	if err != nil {
		return err
	}
	target := 0
	if c.IsSet("iterations") {
		if target, err = runner.ParseIterations(c); err != nil {
			return err
		}
	}
	var jobs []replay.Job
	for _, r := range runs {
		jobs = append(jobs, replay.Job{Spec: r.Spec, Start: r.Source.Start, Target: max(target, r.Target)})
	}
	_, err = runAndShow(c, jobs, launcher)
	return err
}

// selectToResume returns the runs that the arguments name, or all interrupted runs if there are no
// arguments.
func selectToResume(c *cli.Context) ([]report.Run, error) {
	if c.Bool("all") && c.NArg() > 0 {
		return nil, schema.Hint(fmt.Errorf("--all together with %s", c.Args().First()), "name runs, or give --all")
	}
	if c.NArg() > 0 {
		return cmdline.SelectSomeRuns(c)
	}
	runs, err := cmdline.SelectRuns(c)
	if err != nil {
		return nil, err
	}
	var stopped []report.Run
	var labels []string
	for _, r := range runs {
		if r.Status == tracker.Interrupted || r.Status == tracker.Failed {
			stopped, labels = append(stopped, r), append(labels, schema.ShellQuote(r.Label()))
		}
	}
	switch {
	case len(stopped) == 0:
		return nil, schema.Hint(fmt.Errorf("no run is interrupted"),
			"podtrack resume RUN --iterations N continues a complete one")
	case len(stopped) > 1 && !c.Bool("all"):
		return nil, schema.Hint(fmt.Errorf("%d runs are interrupted", len(stopped)), "name one, or give --all: %s",
			strings.Join(labels[:min(len(labels), 10)], ", "))
	}
	return stopped, nil
}
