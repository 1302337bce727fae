package inspect

import (
	"errors"
	"fmt"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/audit"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/document"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/urfave/cli/v2"
)

// auditFlags is the command why, with its flags.
type auditFlags struct {
	file           *string
	force, forward bool
}

var _ = cmdline.Register(cmdline.Command{
	Name: "why", Group: cmdline.GroupInspect, Place: 5,
	Example: "podtrack why ring0:1/1+",
	JSON:    []any{why.Report{}, why.Effects{}},
	Served:  []string{"forward"},
	Usage:   "show where an option comes from: its eigenpurpose, the data behind that, the options that led there",
	Args:    "RUN:#N | RUN:K/J+ | RUN:K/J-",
	Description: "RUN:#N is the option of the number N in tables, RUN:K/J+ the option of iteration K that\n" +
		"follows its direction J with the sign +.",
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var a auditFlags
		return []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(table.Formats[0], table.HTML),
			cmdline.Optional(&a.file, "o", "write a document that carries its proof to `FILE`.html, or to stdout for - "+
				"(podtrack help audit)", ""),
			cmdline.Flag(&a.force, "force", "with -o: replace the file if it exists"),
			cmdline.Flag(&a.forward, "forward", "show what the option caused: its uses, later options whose data it "+
				"gathered, later purposes without its steps"),
		}, cmdline.Interruptible(a.run, "an audit changes nothing", "rerun the command to start again")
	},
})

func (a *auditFlags) run(c *cli.Context) error {
	ref, err := cmdline.OneRef(c, "RUN:#N", report.RefOption)
	if err != nil {
		return err
	}
	if err := a.checkDocument(c); err != nil {
		return err
	}
	if a.file != nil {
		return audit.Save(c, ref, *a.file, a.force)
	}
	run, err := report.Open(c.Context, cmdline.OpenStore(c), ref.Run)
	if err == nil && a.forward {
		ref, err = report.ResolveRef(run, ref)
	}
	switch {
	case err != nil:
		return err
	case a.forward:
		return showEffects(c, run, ref)
	}
	return explain(c, run, why.Question{Ref: ref})
}

// explain audits an option. As text, it prints each stage once it is known.
func explain(c *cli.Context, run *recorded.Records, q why.Question) error {
	format, err := table.ParseFormat(c)
	if err != nil {
		return err
	}
	bar := cmdline.StartLateBar(c.App.ErrWriter, "why", why.Stages)
	defer bar.End()
	q.Progress = func(s why.Stage) { bar.Begin(int(s), s.String()) }
	r, err := why.ExplainInStages(c.Context, run, q, func(stage why.Stage, r *why.Report) error {
		bar.End()
		if format != table.HTML && !cmdline.WantsJSON(c) {
			audit.PrintStage(table.Text{Writer: c.App.Writer}, stage, r)
		}
		return nil
	})
	bar.End()
	if err == nil && format == table.HTML {
		err = writePage(c, r, run)
	} else if err == nil && cmdline.WantsJSON(c) {
		err = cmdline.PrintJSON(c.App.Writer, r)
	}
	if err == nil && !r.Verified() {
		err = schema.Hint(fmt.Errorf("%w: the chain of %s does not hold", cmdline.ErrDifference, r.Option),
			"podtrack replay %s:%d shows more", textfmt.ShellQuote(run.Label()), r.K)
	}
	return err
}

// writePage writes an audit as a document.
func writePage(c *cli.Context, r *why.Report, run *recorded.Records) error {
	ref, err := report.ParseRefOf(r.Option, report.RefOption)
	if err != nil {
		return err
	}
	name := run.Label()
	return cmdline.WritePage(c, "Why "+r.Option, func(page *document.Page) error {
		if err := audit.PrintSections(c.Context, page, r, run, ref); err != nil {
			return err
		}
		cmdline.PrintMore(c, page, [][]string{{"why", r.Option, "--forward"}, {"show", name}, {"options", name},
			{"plot", "option", r.Option}, {"replay", fmt.Sprintf("%s:%d", name, r.K)},
			{"why", r.Option, "-o", "audit" + audit.Ending}})
		return nil
	})
}

// checkDocument returns an error for flags that do not go with a document, or without one.
func (a *auditFlags) checkDocument(c *cli.Context) error {
	switch name := cmdline.FirstSet(c, "forward", "json"); {
	case a.file == nil && a.force:
		return schema.Hint(errors.New("--force without -o"), "add -o FILE%s, or leave --force out", audit.Ending)
	case a.file == nil:
		return nil
	case name != "":
		return schema.Hint(fmt.Errorf("--%s with a document", name), "leave -o out: podtrack why %s --%s prints it",
			textfmt.ShellQuote(c.Args().First()), name)
	case *a.file != "-" && !audit.IsDocument(*a.file):
		return schema.Hint(fmt.Errorf("-o %s: an audit document is HTML, in a file that ends in %s", *a.file, audit.Ending),
			"write -o FILE%s; podtrack plot draws figures", audit.Ending)
	}
	return nil
}
