// Package diff implements the command podtrack diff, which compares runs, iterations, options or
// groups of runs by what they learned.
package diff

import (
	"errors"
	"fmt"
	"strconv"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textform"
	"github.com/urfave/cli/v2"
)

// flags are the flags of podtrack diff that no other command has.
type flags struct {
	other, matrix, draws, by          *string
	cosine, agreement, gap            *string
	all, exploration, exitZero, group bool
}

var _ = cmdline.Register(cmdline.Command{
	Name: "diff", Group: cmdline.GroupCompare, Place: 1,
	Example: "podtrack diff ring0 ring1",
	Usage:   "show how two runs, iterations or options differ: specs, records, and what they mean",
	Args:    "A B | --group FILTER",
	Description: "A and B are two of RUN, RUN:K, RUN:K/J± or RUN:#N. Purposes are matched by cos_M: cosine\n" +
		"similarity of the two intrinsic-reward functions over all transitions. chance is the same score\n" +
		"for random sets: optimal matching makes any two sets look similar. The exit status is 0 if every\n" +
		"eigenpurpose has a match and its option too, from the threshold on: 0.95 for |cos_M| and for the\n" +
		"similarity of options.\n\n" +
		"With --group it tells whether the runs of a group discover the same options, beside chance, and\n" +
		"the exit status is 0 whatever they do.",
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var f flags
		return []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(),
			cmdline.Optional(&f.other, "other", "look for B in the store `FILE`", ""),
			cmdline.Flag(&f.all, "all", "print all fields of the specs, not only what differs"),
			cmdline.Flag(&f.exploration, "exploration",
				"of two runs: add how they explored, and how much of it both covered"),
			cmdline.Flag(&f.exitZero, "exit-zero", "exit 0 where differences are found, too"),
			CosineFlag(&f.cosine),
			cmdline.Optional(&f.agreement, "agreement", "options are the same from a similarity of `X` on", threshold),
			cmdline.Optional(&f.gap, "gap", "singular values that differ by at most `X` of the larger are nearly equal",
				"0.01"),
			cmdline.Flag(&f.group, "group", "over many runs: do they discover the same, beside chance?"),
			ByFlag(&f.by),
			cmdline.Optional(&f.matrix, "matrix", "with --group: print `WHAT`: options or purposes (by run, the first "+
				"iteration), runs (how similar each two are) or iterations (the table beside chance)", ""),
			cmdline.Optional(&f.draws, "draws", "with --group: take p-values from `N` permutations",
				strconv.Itoa(stats.DefaultDraws)),
		}, cmdline.Answering(f.compare)
	},
})

func (f *flags) compare(c *cli.Context) (a cmdline.Answer, err error) {
	limits, err := f.parseLimits()
	if err != nil {
		return a, err
	}
	if err := f.check(c); err != nil {
		return a, err
	}
	if f.group {
		return f.compareGroup(c, limits)
	}
	if c.NArg() != 2 {
		return a, schema.Hint(fmt.Errorf("diff takes two runs, iterations or options, not %d", c.NArg()),
			"podtrack diff A B, or podtrack diff --group FILTER for many runs; podtrack ls lists the runs")
	}
	refA, refB, err := diff.ParseRefs(c.Args().Get(0), c.Args().Get(1))
	if err != nil {
		return a, err
	}
	if f.exploration && !refA.WholeRun {
		return a, schema.Hint(errors.New("--exploration is of two runs"), "podtrack diff %s %s --exploration",
			textform.ShellQuote(refA.Run), textform.ShellQuote(refB.Run))
	}
	return f.compareTwo(c, refA, refB, limits)
}

// check returns an error for flags that do not go together.
func (f *flags) check(c *cli.Context) error {
	of := cmdline.FirstSet(c, "matrix", "by", "draws")
	format, err := table.ParseFormat(c)
	switch {
	case err != nil:
		return err
	case f.group && f.exploration:
		return schema.Hint(errors.New("--exploration together with --group"),
			"podtrack show --group FILTER --measure exploration has its measures of a group")
	case !f.group && of != "":
		return schema.Hint(fmt.Errorf("--%s without --group", of), "podtrack diff --group FILTER --%s compares many runs",
			of)
	case f.exploration && format != table.Formats[0] && !cmdline.WantsJSON(c):
		return schema.Hint(fmt.Errorf("--exploration with --format %s, which has the pairs of purposes", format),
			"--json has all; podtrack show RUN --exploration --format %s has it of one run", format)
	}
	return nil
}

func (f *flags) compareTwo(c *cli.Context, refA, refB report.Ref, limits diff.Limits) (
	answer cmdline.Answer, err error,
) {
	a, err := diff.Open(c.Context, cmdline.OpenStore(c), refA.Run)
	if err != nil {
		return answer, err
	}
	other := cmdline.OpenStore(c)
	if f.other != nil && *f.other != "" {
		other = cmdline.StoreAt(c, *f.other)
	}
	b, err := diff.Open(c.Context, other, refB.Run)
	if err != nil {
		return answer, err
	}
	if refA.IsOption() {
		return f.compareOptions(c, a, refA, b, refB, limits)
	}
	r, err := diff.CompareRefs(c.Context, a, refA, b, refB, limits)
	if err == nil && f.exploration {
		r.Exploration, err = diff.CompareExploration(c.Context, a, b)
	}
	if err != nil {
		return answer, err
	}
	r.Spec = f.specRows(r.Spec, a, refA, b, refB)
	return cmdline.Answer{
		JSON: r,
		Text: func(w table.Text) {
			printReport(w, r, refA.WholeRun, true)
			printExploration(w, r.Exploration)
		},
		Tables:  func() table.List { return table.List{pairTable(r.Iterations, false, r.A, r.B)} },
		Verdict: f.verdict(r.Equivalent),
	}, nil
}

func (f *flags) compareOptions(c *cli.Context, a *diff.Side, refA report.Ref, b *diff.Side, refB report.Ref,
	limits diff.Limits) (answer cmdline.Answer, err error) {
	if refA, err = report.ResolveRef(a.Records, refA); err != nil {
		return answer, err
	}
	if refB, err = report.ResolveRef(b.Records, refB); err != nil {
		return answer, err
	}
	r, err := diff.CompareOptions(c.Context, a, refA, b, refB, limits)
	if err != nil {
		return answer, err
	}
	r.Spec = f.specRows(r.Spec, a, refA, b, refB)
	pair := []diff.Comparison{{Pairs: []diff.Pair{r.Pair}}}
	return cmdline.Answer{
		JSON:    r,
		Text:    func(w table.Text) { printOptionDiff(w, r) },
		Tables:  func() table.List { return table.List{pairTable(pair, false, r.RunA, r.RunB)} },
		Verdict: f.verdict(r.Equivalent),
	}, nil
}

// verdict returns an error if the two are not equivalent.
func (f *flags) verdict(equivalent bool) error {
	if equivalent || f.exitZero {
		return nil
	}
	return cmdline.ErrSilentDifference
}

// specRows returns the fields to show: those that differ, or all of them.
func (f *flags) specRows(differences []report.SpecDifference, a *diff.Side, refA report.Ref, b *diff.Side,
	refB report.Ref) []report.SpecDifference {
	if !f.all {
		return differences
	}
	return report.AlignSpecs(madeWith(a, refA), madeWith(b, refB))
}

func madeWith(r *diff.Side, ref report.Ref) schema.Spec {
	if ref.WholeRun {
		return r.Spec
	}
	return r.SpecAt(ref.K)
}

// CosineFlag returns the flag --cosine, the threshold for equal eigenpurposes.
func CosineFlag(p **string) cli.Flag {
	return cmdline.Optional(p, "cosine", "purposes are the same from |cos_M| = `X` on", threshold)
}

// threshold is the default of both.
var threshold = fmt.Sprint(diff.Threshold)

// ByFlag returns the flag --by, which says what of a group is compared.
func ByFlag(p **string) cli.Flag {
	return cmdline.Optional(p, "by", "with --group: compare `WHAT`: options, and purposes beside them, or purposes alone",
		"options, if the runs have any")
}

// parseLimits returns the thresholds, each between 0 and 1.
func (f *flags) parseLimits() (l diff.Limits, err error) {
	for _, flag := range []struct {
		name string
		text *string
		x    *float64
	}{{"cosine", f.cosine, &l.Cosine}, {"agreement", f.agreement, &l.Agreement}, {"gap", f.gap, &l.Gap}} {
		if flag.text == nil {
			continue
		}
		if *flag.x, err = ParseShare(flag.name, *flag.text); err != nil {
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
