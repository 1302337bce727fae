package plot

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/figure"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/table1"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// figure1Reading is the default reading, with which the means of Table 1 are consistent.
const figure1Reading = "as-published"

// Figure1Command returns the command podtrack reproduce figure1.
func Figure1Command() *cli.Command {
	return &cli.Command{
		Name:  "figure1",
		Usage: "draw the walks of Figure 1, with primitive actions and with options, under both observabilities",
		Description: "Runs what is not there yet. The paper does not say which seed or which reading its walks are of;\n" +
			"the means of its Table 1 are consistent with as-published.",
		Flags:  slices.Concat([]cli.Flag{cmdline.StoreFlag(), runner.ParallelFlag()}, figure1Flags(), pictureFlags()),
		Action: reproduceFigure1,
	}
}

func figure1Flags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "seed", Usage: "of the walks", DefaultText: "0"},
		&cli.StringFlag{Name: "reading", Value: figure1Reading,
			Usage: "of the walks: " + strings.Join(schema.Readings(), " or ")},
	}
}

func reproduceFigure1(c *cli.Context) error {
	if c.NArg() > 0 {
		return schema.Hint(fmt.Errorf("reproduce figure1 takes no runs: they are the paper's"),
			"podtrack plot walk %s draws another", textform.ShellQuote(c.Args().First()))
	}
	out, err := parsePicture(c)
	if err != nil {
		return err
	}
	q := requestOf(c, "figure1", "")
	jobs, err := figure1Jobs(q)
	if err != nil {
		return err
	}
	outcomes, err := runner.RunJobs(c, jobs, nil)
	if err != nil {
		return err
	}
	var runs []schema.Digest
	for _, o := range outcomes {
		runs = append(runs, o.Run)
	}
	f, err := readFigure1(c.Context, q, jobs[0].Spec.Seed, runs, out)
	if err != nil {
		return cmdline.StoppedExport(err)
	}
	return cmdline.StoppedExport(out.write(c, f))
}

// readFigure1 returns Figure 1 of the given runs, one for each observability.
func readFigure1(
	ctx context.Context, q request, seed uint64, runs []schema.Digest, out picture,
) (figure.Figure, error) {
	f := figure.Figure1{Reading: q.readingOfFigure1(), Seed: seed}
	var parts []figure.Source
	for i, o := range table1.Observabilities {
		run, err := report.Open(ctx, q.store, runs[i].String())
		if err != nil {
			return nil, err
		}
		run.Iterations = run.Iterations[:min(table1.Columns, len(run.Iterations))] // the run may have been extended since
		parts = append(parts, figure.Source{Records: run, WholeRun: true})
		if err := f.AddPanel(ctx, o.Name, parts[i], out.columns()); err != nil {
			return nil, err
		}
	}
	return ofParts(f, parts...), nil
}

func (q request) readingOfFigure1() string { return textOr(q.reading, figure1Reading) }

// figure1Jobs returns the jobs of one seed, one for each observability.
func figure1Jobs(q request) (jobs []replay.Job, err error) {
	for _, o := range table1.Observabilities {
		specs, err := table1.Specs(q.readingOfFigure1(), o, 1)
		if err != nil {
			return nil, err
		}
		if q.seed != nil {
			if err := specs[0].Set("seed", *q.seed); err != nil {
				return nil, err
			}
		}
		jobs = append(jobs, replay.Job{Spec: specs[0], Target: table1.Columns})
	}
	return jobs, nil
}
