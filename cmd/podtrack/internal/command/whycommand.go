package command

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/runner"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

func whyCommand() *cli.Command {
	return &cli.Command{
		Name:      "why",
		Usage:     "show where an option comes from: its eigenpurpose, the data behind that, the options that led there",
		ArgsUsage: "RUN:#N | RUN:K/J+ | RUN:K/J-",
		Description: "RUN:#N is the option of the number N in tables, RUN:K/J+ the option of iteration K that\n" +
			"follows its direction J with the sign +.",
		Flags: append([]cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(),
			&cli.StringFlag{Name: "format", Value: whyFormats[0],
				Usage: "print as `F`: " + strings.Join(whyFormats, ", ") + " (dot draws the ancestors, for Graphviz; " +
					"html is a document that carries its proof: podtrack help audit)"},
			&cli.StringFlag{Name: "o", Usage: "write the document of --format html to `FILE`.html", DefaultText: "stdout"},
			&cli.BoolFlag{Name: "force", Usage: "with -o: replace the file if there is one"},
			&cli.StringFlag{Name: "depth", Usage: "list ancestors of `N` generations", DefaultText: "all, back to iteration 0"},
			&cli.BoolFlag{Name: "forward", Usage: "show what the option caused: its uses, later options whose data it " +
				"gathered, later purposes without its steps"},
			&cli.BoolFlag{Name: "without", Usage: "run the counterfactual: a fork without the option from its first use on, " +
				"compared with the run"},
			&cli.BoolFlag{Name: "keep", Usage: "with --without: keep the fork in the store"},
			&cli.StringFlag{Name: "name", Usage: "with --keep: name the fork `NAME`, as for podtrack run",
				DefaultText: "NAME-without-N"},
			&cli.StringFlag{Name: "ablate", Usage: "factor D again without the steps of each of the `WHICH` sources: all",
				DefaultText: "the largest, as far as that takes tenths of a second"},
			&cli.StringFlag{Name: "state", Usage: "explain what the option does in state `S`"},
		}, append(runner.ExternalFlags(), runner.StageFlags()...)...),
		Action: whyAction,
	}
}

func whyAction(c *cli.Context) error {
	format := c.String("format")
	if c.Bool("json") {
		format = "json"
	} else if isDocument(c.String("o")) && !c.IsSet("format") {
		format = "html"
	}
	if !slices.Contains(whyFormats, format) {
		return schema.Hint(fmt.Errorf("unknown format %q", format), "the formats are %s", strings.Join(whyFormats, ", "))
	}
	q, err := parseQuestion(c)
	if err != nil {
		return err
	}
	if err := checkDocumentFlags(c, c.Args().First(), format); err != nil {
		return err
	}
	if format == "html" {
		return whyError(writeDocument(c, q.Ref))
	}
	run, err := diff.Open(c.Context, cmdline.OpenStore(c), q.Ref.Run)
	if err != nil {
		return whyError(err)
	}
	if q.Ref, err = run.ResolveRef(c.Context, q.Ref); err != nil {
		return whyError(err)
	}
	if c.Bool("without") {
		return whyWithout(c, run, q, format)
	}
	for _, name := range append([]string{"keep", "name", "env"}, schema.ExternalStages()...) {
		if c.IsSet(name) {
			return schema.Hint(fmt.Errorf("--%s is for --without", name), "add --without, or leave --%s out", name)
		}
	}
	if c.Bool("forward") {
		return whyForward(c, run, q, format)
	}
	r, err := explain(c, run, q, format)
	if err != nil {
		return whyError(err)
	}
	switch format {
	case "json":
		err = cmdline.PrintJSON(c.App.Writer, r)
	case "dot":
		err = r.DOT(c.App.Writer)
	}
	if err == nil && !r.Verified() {
		err = schema.Hint(fmt.Errorf("%w: the chain of %s does not hold", cmdline.ErrDifference, r.Option),
			"podtrack replay %s:%d shows more", textform.ShellQuote(run.Label()), r.K)
	}
	return err
}

// checkDocumentFlags returns an error for flags that do not go with a document, or only with one.
func checkDocumentFlags(c *cli.Context, ref, format string) error {
	if format != "html" {
		return refusePlace(c, format)
	}
	for _, name := range []string{"forward", "without"} {
		if c.Bool(name) {
			return schema.Hint(fmt.Errorf("--%s with a document, whose records end with the option's iteration", name),
				"podtrack why %s --%s prints it as text; write the document without --%s", textform.ShellQuote(ref), name, name)
		}
	}
	for _, name := range []string{"keep", "name", "depth", "ablate", "state"} {
		if c.IsSet(name) {
			return schema.Hint(fmt.Errorf("--%s with a document", name),
				"leave --%s out: a document has what an audit without it shows", name)
		}
	}
	return nil
}

// refusePlace returns an error for flags that say where to write a document if none is written.
func refusePlace(c *cli.Context, format string) error {
	switch path := c.String("o"); {
	case c.IsSet("o") && !c.IsSet("format") && !c.Bool("json"):
		return schema.Hint(fmt.Errorf("-o %s: an audit document is HTML, in a file that ends in %s", path, documentEnding),
			"write -o FILE%s, or leave -o out to print text; podtrack plot draws figures", documentEnding)
	case c.IsSet("o"):
		return schema.Hint(fmt.Errorf("-o is for --format html, and this is %s", format),
			"leave -o out, and redirect what is printed to a file")
	case c.IsSet("force"):
		return schema.Hint(errors.New("--force without -o"), "add -o FILE%s, or leave --force out", documentEnding)
	}
	return nil
}
