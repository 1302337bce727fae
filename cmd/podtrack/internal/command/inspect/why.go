package inspect

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/audit"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/urfave/cli/v2"
)

var whyFormats = []string{"text", "json", "html"}

// auditFlags is the command why, with its flags.
type auditFlags struct {
	runner.Flags
	format                        string
	file                          *string
	force, forward, without, keep bool
	depth, state                  *int
	name, ablate                  *string
}

var _ = cmdline.Register(cmdline.Command{
	Name: "why", Group: cmdline.GroupInspect, Place: 5,
	Example: "podtrack why ring0:1/1+",
	JSON:    []any{why.Report{}, why.Effects{}, counterfactual{}},
	Usage:   "show where an option comes from: its eigenpurpose, the data behind that, the options that led there",
	Args:    "RUN:#N | RUN:K/J+ | RUN:K/J-",
	Description: "RUN:#N is the option of the number N in tables, RUN:K/J+ the option of iteration K that\n" +
		"follows its direction J with the sign +.",
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		y := auditFlags{format: whyFormats[0]}
		return append([]cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(),
			cmdline.Flag(&y.format, "format", "print as `F`: "+strings.Join(whyFormats, ", ")+" (html is a document "+
				"that carries its proof: podtrack help audit)"),
			cmdline.Optional(&y.file, "o", "write the document of --format html to `FILE`.html", "stdout"),
			cmdline.Flag(&y.force, "force", "with -o: replace the file if it exists"),
			cmdline.Optional(&y.depth, "depth", "list ancestors of `N` generations", "all, back to iteration 0"),
			cmdline.Flag(&y.forward, "forward", "show what the option caused: its uses, later options whose data it "+
				"gathered, later purposes without its steps"),
			cmdline.Flag(&y.without, "without", "run the counterfactual: a fork without the option from its first use on, "+
				"compared with the run"),
			cmdline.Flag(&y.keep, "keep", "with --without: keep the fork in the store"),
			cmdline.Optional(&y.name, "name", "with --keep: name the fork `NAME`, as for podtrack run", "NAME-without-N"),
			cmdline.Optional(&y.ablate, "ablate", "factor D again without the steps of each of the `WHICH` sources: all",
				"the largest, as far as that takes tenths of a second"),
			cmdline.Optional(&y.state, "state", "explain what the option does in state `S`", ""),
		}, y.ProgramFlags()...), cmdline.Interruptible(y.run, "an audit changes nothing", "rerun the command to start again")
	},
})

func (a *auditFlags) run(c *cli.Context) error {
	if cmdline.WantsJSON(c) {
		a.format = "json"
	} else if a.file != nil && audit.IsDocument(*a.file) && !c.IsSet("format") {
		a.format = "html"
	}
	if !slices.Contains(whyFormats, a.format) {
		return schema.Hint(fmt.Errorf("unknown format %q", a.format), "the formats are %s", strings.Join(whyFormats, ", "))
	}
	q, err := a.parseQuestion(c)
	if err != nil {
		return err
	}
	if a.format == "html" {
		if err := a.checkDocument(c); err != nil {
			return err
		}
		path := ""
		if a.file != nil {
			path = *a.file
		}
		return audit.Save(c, q.Ref, path, a.force)
	}
	if err := a.refusePlace(c); err != nil {
		return err
	}
	run, err := report.Open(c.Context, cmdline.OpenStore(c), q.Ref.Run)
	if err == nil && (a.without || a.forward) {
		q.Ref, err = report.ResolveRef(run, q.Ref)
	}
	if err != nil {
		return err
	}
	if a.without {
		return a.showWithout(c, run, q)
	}
	name := cmdline.FirstSet(c, append([]string{"keep", "name", "env"}, schema.ExternalStages()...)...)
	switch {
	case name != "":
		return schema.Hint(fmt.Errorf("--%s is for --without", name), "add --without, or leave --%s out", name)
	case a.forward:
		return a.showEffects(c, run, q)
	}
	return a.explain(c, run, q)
}

// print prints what was found as JSON or as text, the only forms that it has.
func (a *auditFlags) print(c *cli.Context, document any, text func(table.Text)) error {
	if a.format == "json" {
		return cmdline.PrintJSON(c.App.Writer, document)
	}
	text(table.Text{Writer: c.App.Writer})
	return nil
}

// checkPrinted returns an error for flags that exclude the given flag, and for a format other than text and
// json.
func (a *auditFlags) checkPrinted(c *cli.Context, flag, what string, others ...string) error {
	if name := cmdline.FirstSet(c, others...); name != "" {
		return schema.Hint(fmt.Errorf("--%s with --%s", name, flag), "leave one of them out")
	}
	if a.format != whyFormats[0] && a.format != "json" {
		return schema.Hint(fmt.Errorf("--%s as %s", flag, a.format), "%s is printed as text or json", what)
	}
	return nil
}

// explain audits an option. As text, it prints each stage once it is known.
func (a *auditFlags) explain(c *cli.Context, run *recorded.Records, q why.Question) error {
	bar := cmdline.StartLateBar(c.App.ErrWriter, "why", why.Stages)
	defer bar.End()
	q.Progress = func(s why.Stage) { bar.Begin(int(s), s.String()) }
	r, err := why.ExplainInStages(c.Context, run, q, func(stage why.Stage, r *why.Report) error {
		bar.End()
		if a.format == whyFormats[0] {
			audit.PrintStage(table.Text{Writer: c.App.Writer}, stage, r, q.State != nil)
		}
		return nil
	})
	bar.End()
	if err == nil && a.format == "json" {
		err = cmdline.PrintJSON(c.App.Writer, r)
	}
	if err == nil && !r.Verified() {
		err = schema.Hint(fmt.Errorf("%w: the chain of %s does not hold", cmdline.ErrDifference, r.Option),
			"podtrack replay %s:%d shows more", textfmt.ShellQuote(run.Label()), r.K)
	}
	return err
}

func (a *auditFlags) parseQuestion(c *cli.Context) (q why.Question, err error) {
	if q.Ref, err = cmdline.OneRef(c, "RUN:#N", report.RefOption); err != nil {
		return q, err
	}
	if a.depth != nil && *a.depth < 0 {
		return q, schema.Hint(fmt.Errorf("--depth %d", *a.depth), "give a number of generations, 0 for no ancestors")
	}
	if a.ablate != nil && *a.ablate != "all" {
		return q, schema.Hint(fmt.Errorf("--ablate: invalid value %q", *a.ablate), "write --ablate all, or leave it out")
	}
	q.Depth, q.State, q.AllAblations = a.depth, a.state, a.ablate != nil
	return q, nil
}

// checkDocument returns an error for flags that do not go with a document.
func (a *auditFlags) checkDocument(c *cli.Context) error {
	if name := cmdline.FirstSet(c, "forward", "without"); name != "" {
		return schema.Hint(fmt.Errorf("--%s with a document, whose records end with the option's iteration", name),
			"podtrack why %s --%s prints it as text; write the document without --%s",
			textfmt.ShellQuote(c.Args().First()), name, name)
	}
	if name := cmdline.FirstSet(c, "keep", "name", "depth", "ablate", "state"); name != "" {
		return schema.Hint(fmt.Errorf("--%s with a document", name),
			"leave --%s out: a document has what an audit without it shows", name)
	}
	return nil
}

// refusePlace returns an error for flags that say where to write a document if none is written.
func (a *auditFlags) refusePlace(c *cli.Context) error {
	switch {
	case a.file != nil && !c.IsSet("format") && a.format != "json":
		return schema.Hint(fmt.Errorf("-o %s: an audit document is HTML, in a file that ends in %s", *a.file, audit.Ending),
			"write -o FILE%s, or leave -o out to print text; podtrack plot draws figures", audit.Ending)
	case a.file != nil:
		return schema.Hint(fmt.Errorf("-o is for --format html, and this is %s", a.format),
			"leave -o out, and redirect what is printed to a file")
	case a.force:
		return schema.Hint(errors.New("--force without -o"), "add -o FILE%s, or leave --force out", audit.Ending)
	}
	return nil
}
