package show

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/figure"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table1"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
	"github.com/urfave/cli/v2"
)

// figure1Reading is the default reading, with which the means of Table 1 are consistent.
const figure1Reading = "as-published"

// figure1Flags is the command reproduce figure1, with its flags.
type figure1Flags struct {
	runner.Flags
	out picture
}

var _ = cmdline.Register(cmdline.Command{
	Name: "reproduce figure1", Place: 2,
	Example: "podtrack reproduce figure1 -o figure1.svg",
	Usage:   "draw the walks of Figure 1, with primitive actions and with options, under both observabilities",
	Description: "Executes runs that are missing. The paper does not give the seed or the reading of its walks;\n" +
		"the means of its Table 1 are consistent with as-published.",
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var f figure1Flags
		return slices.Concat([]cli.Flag{cmdline.StoreFlag(), f.ParallelFlag()}, flagsOf(figure1.Choices),
			f.out.flags()), f.reproduce
	},
})

// figure1 is drawn by podtrack reproduce, which makes its runs, and by the page from recorded runs.
var figure1 = figure.Kind{
	Name: "figure1", Usage: "the walks of Figure 1", Read: readRecordedFigure1, OffPlot: true,
	Choices: []figure.Choice{
		{Name: "seed", Usage: "of the walks", Default: "0"},
		{Name: "reading", Value: figure1Reading, Usage: "of the walks: " + strings.Join(schema.Readings(), " or ")},
	},
}

var _ = figure.Register(figure1)

func (f *figure1Flags) reproduce(c *cli.Context) error {
	if c.NArg() > 0 {
		return schema.Hint(fmt.Errorf("reproduce figure1 takes no runs: they are the paper's"),
			"podtrack plot walk %s draws another", textfmt.ShellQuote(c.Args().First()))
	}
	if err := f.out.parse(c); err != nil {
		return err
	}
	q := requestOf(c, figure1, f.out)
	jobs, err := figure1Jobs(q)
	if err != nil {
		return err
	}
	outcomes, err := f.RunJobs(c, jobs, nil)
	if err != nil {
		return err
	}
	var runs []schema.Digest
	for _, o := range outcomes {
		runs = append(runs, o.Run)
	}
	drawn, err := readFigure1(c.Context, q, jobs[0].Spec.Seed, runs)
	if err != nil {
		return cmdline.StoppedExport(err)
	}
	return cmdline.StoppedExport(f.out.write(c, drawn))
}

// readFigure1 returns Figure 1 of the given runs, one for each observability.
func readFigure1(
	ctx context.Context, q figure.Request, seed uint64, runs []schema.Digest,
) (figure.Figure, error) {
	f := figure.Figure1{Reading: readingOf(q), Seed: seed}
	var parts []figure.Source
	for i, o := range table1.Observabilities {
		run, err := report.Open(ctx, q.Store, runs[i].String())
		if err != nil {
			return nil, err
		}
		run.Iterations = run.Iterations[:min(table1.Columns, len(run.Iterations))] // the run may have been extended since
		parts = append(parts, figure.Source{Records: run, WholeRun: true})
		if err := f.AddPanel(ctx, o.Name, parts[i], q.Columns()); err != nil {
			return nil, err
		}
	}
	return ofParts(f, parts...), nil
}

func readingOf(q figure.Request) string { return q.Text("reading", figure1Reading) }

// figure1Jobs returns the jobs of one seed, one for each observability.
func figure1Jobs(q figure.Request) (jobs []replay.Job, err error) {
	for _, o := range table1.Observabilities {
		specs, err := table1.Specs(readingOf(q), o, 1)
		if err != nil {
			return nil, err
		}
		if q.Get("seed") != nil {
			if err := specs[0].Set("seed", *q.Get("seed")); err != nil {
				return nil, err
			}
		}
		jobs = append(jobs, replay.Job{Spec: specs[0], Target: table1.Columns})
	}
	return jobs, nil
}

// readRecordedFigure1 reads the same as podtrack reproduce figure1 from recorded runs. It fails if
// they are not in the store.
func readRecordedFigure1(ctx context.Context, q figure.Request) (figure.Figure, error) {
	if len(q.Args) > 0 {
		return nil, schema.Hint(errors.New("figure1 takes no runs: they are the paper's"),
			"podtrack plot walk %s draws another", textfmt.ShellQuote(q.Args[0]))
	}
	jobs, err := figure1Jobs(q)
	if err != nil {
		return nil, err
	}
	var runs []schema.Digest
	err = q.Store.View(ctx, func(tx *tracker.Tx) error {
		for _, j := range jobs {
			id, err := recordedRun(tx, j)
			if err != nil {
				return err
			}
			runs = append(runs, id)
		}
		return nil
	})
	if err != nil {
		return nil, schema.Hint(err, "podtrack reproduce figure1 --seed %d --reading %s makes its runs", jobs[0].Spec.Seed,
			readingOf(q))
	}
	return readFigure1(ctx, q, jobs[0].Spec.Seed, runs)
}

// recordedRun returns the recorded run of a job, which must have reached the job's target.
func recordedRun(tx *tracker.Tx, j replay.Job) (schema.Digest, error) {
	id, err := schema.RunID(j.Spec, nil)
	if err != nil {
		return id, err
	}
	if _, err := tx.ReadRun(id); err != nil {
		return id, err
	}
	done, _, err := tx.ReadHead(id)
	if err == nil && done < j.Target {
		err = fmt.Errorf("run %.7s has %s of %d: the others %w", id, cmdline.Plural(done, "iteration"), j.Target,
			tracker.ErrMissing)
	}
	return id, err
}
