package command

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/why"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

var whyFormats = []string{"text", "json", "dot"}

func whyCommand() *cli.Command {
	return &cli.Command{
		Name:      "why",
		Usage:     "show where an option comes from: its eigenpurpose, the data behind that, the options that led there",
		ArgsUsage: "RUN:K/J+ | RUN:K/J-",
		Flags: []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(),
			&cli.StringFlag{Name: "format", Value: whyFormats[0],
				Usage: "print as `F`: " + strings.Join(whyFormats, ", ") + " (dot draws the ancestors, for Graphviz)"},
			&cli.StringFlag{Name: "depth", Usage: "list ancestors of `N` generations", DefaultText: "all, back to iteration 0"},
			&cli.StringFlag{Name: "state", Usage: "explain what the option does in state `S`"},
		},
		Action: whyAction,
	}
}

func whyAction(c *cli.Context) error {
	format := c.String("format")
	if c.Bool("json") {
		format = "json"
	}
	if !slices.Contains(whyFormats, format) {
		return schema.Hint(fmt.Errorf("unknown format %q", format), "the formats are %s", strings.Join(whyFormats, ", "))
	}
	q, err := parseQuestion(c)
	if err != nil {
		return err
	}
	run, err := diff.Open(c.Context, cmdline.OpenStore(c), q.Ref.Run)
	if err != nil {
		return whyError(err)
	}
	r, err := why.Explain(c.Context, run, q)
	if err != nil {
		return whyError(err)
	}
	switch format {
	case "json":
		err = cmdline.PrintJSON(c.App.Writer, r)
	case "dot":
		err = r.DOT(c.App.Writer)
	default:
		err = printWhy(c.App.Writer, r)
	}
	if err == nil && !r.Verified() {
		err = schema.Hint(fmt.Errorf("%w: the chain of %s does not hold", cmdline.ErrDifference, r.Option),
			"podtrack replay %s:%d shows more", schema.ShellQuote(run.Label()), r.K)
	}
	return err
}

// whyError returns err; for an interruption, an error that says that there was nothing to save.
func whyError(err error) error {
	if errors.Is(err, context.Canceled) {
		return schema.Hint(fmt.Errorf("%w; an audit changes nothing", replay.ErrInterrupted),
			"the same command begins it again")
	}
	return err
}

func parseQuestion(c *cli.Context) (q why.Question, err error) {
	text, err := cmdline.OneArg(c, "RUN:K/J+")
	if err != nil {
		return q, err
	}
	if q.Ref, err = report.ParseRef(text); err != nil {
		return q, err
	}
	if q.Ref.J == 0 {
		return q, schema.Hint(fmt.Errorf("%s names no option", text),
			"write RUN:K/J+ or RUN:K/J-; podtrack options %s lists them", schema.ShellQuote(q.Ref.Run))
	}
	if q.Depth = -1; c.IsSet("depth") {
		if q.Depth, err = strconv.Atoi(c.String("depth")); err != nil || q.Depth < 0 {
			return q, schema.Hint(fmt.Errorf("--depth %q", c.String("depth")),
				"give a number of generations, 0 for no ancestors")
		}
	}
	if c.IsSet("state") {
		s, err := strconv.Atoi(c.String("state"))
		if err != nil {
			return q, schema.Hint(fmt.Errorf("--state %q", c.String("state")), "give the index of a state, from 0")
		}
		q.State = &s
	}
	return q, nil
}
