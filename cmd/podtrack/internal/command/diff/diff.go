package diff

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/urfave/cli/v2"
)

// Command returns the command podtrack diff.
func Command() *cli.Command {
	return &cli.Command{
		Name:      "diff",
		Usage:     "show how two runs, iterations or options differ: specs, records, and what they mean",
		ArgsUsage: "A B | --group FILTER",
		Description: "A and B are two of RUN, RUN:K, RUN:K/J± or RUN:#N. Purposes are matched by cos_M: cosine\n" +
			"similarity of the two intrinsic-reward functions over all transitions. chance is the same score\n" +
			"for random sets: optimal matching makes any two sets look similar. The exit status is 0 if every\n" +
			"eigenpurpose has a match and its option too, from the threshold on: 0.95 for |cos_M| and for the\n" +
			"similarity of options.\n\n" +
			"With --group it tells whether the runs of a group discover the same options, beside chance, and\n" +
			"the exit status is 0 whatever they do.",
		Flags: []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(),
			&cli.StringFlag{Name: "other", Usage: "look for B in the store `FILE`"},
			&cli.BoolFlag{Name: "all", Usage: "print all fields of the specs, not only what differs"},
			&cli.BoolFlag{Name: "exploration", Usage: "of two runs: add how they explored, and how much of it both covered"},
			&cli.BoolFlag{Name: "exit-zero", Usage: "exit 0 where differences are found, too"},
			CosineFlag(),
			AgreementFlag(),
			&cli.StringFlag{Name: "gap", Usage: "singular values that differ by at most `X` of the larger are nearly equal",
				DefaultText: "0.01"},
			&cli.BoolFlag{Name: "group", Usage: "over many runs: do they discover the same, beside chance?"},
			ByFlag(),
			&cli.StringFlag{Name: "matrix",
				Usage: "with --group: print `WHAT`: options or purposes (by run, the first iteration), runs (how similar each " +
					"two are) or iterations (the table beside chance)"},
			&cli.StringFlag{Name: "draws", Usage: "with --group: take p-values from `N` permutations",
				DefaultText: strconv.Itoa(stats.DefaultDraws)},
		},
		Action: diffAction,
	}
}

func diffAction(c *cli.Context) error {
	if _, err := table.ParseFormat(c); err != nil {
		return err
	}
	limits, err := ParseLimits(c)
	if err != nil {
		return err
	}
	if c.Bool("group") && c.Bool("exploration") {
		return schema.Hint(errors.New("--exploration together with --group"),
			"podtrack show --group FILTER --measure exploration has its measures of a group")
	}
	if c.Bool("group") {
		return diffGroup(c, limits)
	}
	for _, name := range []string{"matrix", "by", "draws"} {
		if c.IsSet(name) {
			return schema.Hint(fmt.Errorf("--%s without --group", name), "podtrack diff --group FILTER --%s compares many runs",
				name)
		}
	}
	if c.Bool("exploration") && c.String("format") != table.Formats[0] && !c.Bool("json") {
		return schema.Hint(fmt.Errorf("--exploration with --format %s, which has the pairs of purposes", c.String("format")),
			"--json has all; podtrack show RUN --exploration --format %s has it of one run", c.String("format"))
	}
	if c.NArg() != 2 {
		return schema.Hint(fmt.Errorf("diff takes two runs, iterations or options, not %d", c.NArg()),
			"podtrack diff A B, or podtrack diff --group FILTER for many runs; podtrack ls lists the runs")
	}
	refA, refB, err := diff.ParseRefs(c.Args().Get(0), c.Args().Get(1))
	if err != nil {
		return err
	}
	if c.Bool("exploration") && !refA.WholeRun {
		return schema.Hint(errors.New("--exploration is of two runs"), "podtrack diff %s %s --exploration",
			textform.ShellQuote(refA.Run), textform.ShellQuote(refB.Run))
	}
	return diffTwo(c, refA, refB, limits)
}

func diffTwo(c *cli.Context, refA, refB report.Ref, limits diff.Limits) error {
	a, err := diff.Open(c.Context, cmdline.OpenStore(c), refA.Run)
	if err != nil {
		return err
	}
	other := cmdline.OpenStore(c)
	if path := c.String("other"); path != "" {
		other = cmdline.StoreAt(c, path)
	}
	b, err := diff.Open(c.Context, other, refB.Run)
	if err != nil {
		return err
	}
	if refA.IsOption() {
		if refA, err = report.ResolveRef(a.Records, refA); err != nil {
			return err
		}
		if refB, err = report.ResolveRef(b.Records, refB); err != nil {
			return err
		}
		r, err := diff.CompareOptions(c.Context, a, refA, b, refB, limits)
		if err != nil {
			return err
		}
		r.Spec = specRows(c, r.Spec, a, refA, b, refB)
		return conclude(c, r.Equivalent, r, func() error { return printOptionDiff(c, r) })
	}
	r, err := diff.CompareRefs(c.Context, a, refA, b, refB, limits)
	if err != nil {
		return err
	}
	if c.Bool("exploration") {
		if r.Exploration, err = diff.CompareExploration(c.Context, a, b); err != nil {
			return err
		}
	}
	r.Spec = specRows(c, r.Spec, a, refA, b, refB)
	return conclude(c, r.Equivalent, r, func() error { return printDiff(c, r, refA.WholeRun) })
}

// conclude prints a report, and returns an error if the two are not equivalent.
func conclude(c *cli.Context, equivalent bool, r any, text func() error) (err error) {
	if c.Bool("json") {
		err = cmdline.PrintJSON(c.App.Writer, r)
	} else {
		err = text()
	}
	if err == nil && !equivalent && !c.Bool("exit-zero") {
		err = cmdline.ErrSilentDifference
	}
	return err
}

// specRows returns the fields to show: those that differ, or all of them.
func specRows(c *cli.Context, differences []report.SpecDifference, a *diff.Run, refA report.Ref, b *diff.Run,
	refB report.Ref) []report.SpecDifference {
	if !c.Bool("all") {
		return differences
	}
	return report.AlignSpecs(madeWith(a, refA), madeWith(b, refB))
}

func madeWith(r *diff.Run, ref report.Ref) schema.Spec {
	if ref.WholeRun {
		return r.Spec
	}
	return r.SpecAt(ref.K)
}

// CosineFlag returns the flag --cosine, the threshold for equal eigenpurposes.
func CosineFlag() cli.Flag {
	return &cli.StringFlag{Name: "cosine", Usage: "purposes are the same from |cos_M| = `X` on", DefaultText: threshold}
}

// AgreementFlag returns the flag --agreement, the threshold for equal options.
func AgreementFlag() cli.Flag {
	return &cli.StringFlag{Name: "agreement", Usage: "options are the same from a similarity of `X` on",
		DefaultText: threshold}
}

// threshold is the default of both.
var threshold = fmt.Sprint(diff.Threshold)

// ByFlag returns the flag --by, which says what of a group is compared.
func ByFlag() cli.Flag {
	return &cli.StringFlag{Name: "by", Usage: "with --group: compare `WHAT`: options, and purposes beside them, or " +
		"purposes alone", DefaultText: "options, if the runs have any"}
}

// ParseLimits returns the thresholds, each between 0 and 1.
func ParseLimits(c *cli.Context) (l diff.Limits, err error) {
	for _, flag := range []struct {
		name string
		x    *float64
	}{{"cosine", &l.Cosine}, {"agreement", &l.Agreement}, {"gap", &l.Gap}} {
		if !c.IsSet(flag.name) {
			continue
		}
		if *flag.x, err = ParseShare(flag.name, c.String(flag.name)); err != nil {
			return l, err
		}
	}
	return l, nil
}

// ParseShare returns a threshold between 0 and 1.
func ParseShare(flag, text string) (float64, error) {
	x, err := strconv.ParseFloat(text, 64)
	if err != nil || !(x > 0 && x <= 1) {
		return x, schema.Hint(fmt.Errorf("--%s %q is no share", flag, text), "give a number above 0, at most 1")
	}
	return x, nil
}
