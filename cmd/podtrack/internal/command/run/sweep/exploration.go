package sweep

import (
	"context"
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/groupview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/study"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/sweep"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/external"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"

	"github.com/urfave/cli/v2"
)

// exploring is the command reproduce exploration, with its flags.
type exploring struct {
	flags
	file, published, first bool
}

var _ = cmdline.Register(cmdline.Command{
	Name: "reproduce exploration", Place: 3,
	Example: "podtrack reproduce exploration --published",
	JSON:    []any{summary{}, study.Comparison{}, ""},
	Usage:   "run a registered study: which discovery explores?",
	Description: `Does what podtrack sweep and podtrack compare do with a study's file. The file was
written before any of its seeds was run; --file prints it, as a beginning of your own:

   podtrack reproduce exploration --file > held-out.toml
   podtrack sweep held-out.toml
   podtrack compare study=held-out

Runs that are complete are not made again. --shard 0/40 makes the first seed of the 40. The study
before it is superseded: --first --published shows what was measured of that, --first --file its
file.`,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var e exploring
		return append([]cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(), e.ParallelFlag(), e.shardFlag(),
			cmdline.Flag(&e.file, "file", "print the study's file, and run nothing"),
			cmdline.Flag(&e.published, "published", "show what was measured of the whole study, and run nothing"),
			cmdline.Flag(&e.first, "first", "take the first study, which is superseded"),
		}, e.KeepFlags()...), cmdline.Answering(e.reproduce)
	},
})

func (e *exploring) reproduce(c *cli.Context) (a cmdline.Answer, err error) {
	if err := cmdline.NoArgs(c, "podtrack sweep makes the runs of a file of your own"); err != nil {
		return a, err
	}
	if e.file && e.published {
		return a, schema.Hint(fmt.Errorf("--file and --published together"), "give one of them")
	}
	if flag := cmdline.FirstSet(c, "shard", "keep", "last", "store", "parallel"); flag != "" && (e.file || e.published) {
		return a, schema.Hint(fmt.Errorf("--%s together with --file or --published", flag),
			"they run nothing: leave --%s out", flag)
	}
	of := study.HeldOut
	if e.first {
		of = study.Superseded
	}
	if e.first && !e.file && !e.published {
		return a, schema.Hint(fmt.Errorf("--first without --published or --file"),
			"its runs are those of podtrack sweep, with what --first --file prints")
	}
	if e.file {
		return cmdline.Answer{JSON: of.File, Text: func(w table.Text) { fmt.Fprint(w, of.File) }}, nil
	}
	plan, err := e.planStudy(c, of)
	if err != nil {
		return a, err
	}
	compared := new(study.Comparison)
	if e.published {
		compared, err = of.Compare(c.Context, &plan.Plan)
		answer := groupview.AnswerStudy(c, compared)
		if text := answer.Text; of.Note != "" {
			answer.Text = func(w table.Text) {
				w.Wrapped("%s", of.Note)
				w.Blank()
				text(w)
			}
		}
		return answer, err
	}
	s := sweepRun{Context: c, flags: &e.flags, plan: plan,
		stages: external.NewStagePrograms(nil)}
	err = s.local(nil)
	if errors.Is(err, tracker.ErrStudyTaken) {
		err = schema.Hint(err, "name another store, with --store, or drop that study with podtrack sweep plans")
	}
	if err != nil {
		return a, err
	}
	compared, err = study.Compare(c.Context, s.store(), []string{"study=" + s.plan.Study.Name})
	return groupview.AnswerStudy(c, compared), err
}

// Published returns what was measured of a whole study.
func Published(ctx context.Context, of study.Published) (*study.Comparison, error) {
	c := cli.NewContext(&cli.App{}, nil, nil)
	c.Context = ctx
	plan, err := new(flags).planStudy(c, of)
	if err != nil {
		return nil, err
	}
	return of.Compare(ctx, &plan.Plan)
}

// planStudy returns the plan of the study that a file describes.
func (f *flags) planStudy(c *cli.Context, of study.Published) (*sweep.Plan, error) {
	args, err := parseGridFile([]byte(of.File), of.Name)
	if err != nil {
		return nil, err
	}
	f.override(&args)
	plan, _, err := f.makePlan(c, args, external.NewStagePrograms(nil))
	return plan, err
}
