package compare

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/urfave/cli/v2"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/diffview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// diffing is the command diff, with its flags.
type diffing struct {
	other, matrix, draws, by          *string
	cosine, agreement, gap            *string
	all, exploration, exitZero, group bool
}

var _ = cmdline.Register(cmdline.Command{
	Name: "diff", Group: cmdline.GroupCompare, Place: 1,
	Example: "podtrack diff ring0 ring1",
	Served:  []string{"all", "exploration", "cosine", "agreement", "gap", "group", "by", "matrix", "draws"},
	JSON:    []any{diff.Report{}, diff.OptionReport{}, diff.Clustering{}},
	Usage:   "show how two runs, iterations or options differ: specs, records, and what they mean",
	Args:    "A B | --group FILTER",
	Description: "A and B are two of RUN, RUN:K, RUN:K/J± or RUN:#N. Purposes are matched by cos_M: cosine\n" +
		"similarity of the two intrinsic-reward functions over all transitions. chance is the same score\n" +
		"for random sets: optimal matching makes any two sets look similar. The exit status is 0 if every\n" +
		"eigenpurpose has a match and its option too, from the threshold on: 0.95 for |cos_M| and for the\n" +
		"similarity of options.\n\n" +
		"With --group it tells whether the runs of a group discover the same options, beside chance, and\n" +
		"the exit status is always 0.",
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		var d diffing
		return []cli.Flag{
			cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag(),
			cmdline.Optional(&d.other, "other", "look for B in the store `FILE`", ""),
			cmdline.Flag(&d.all, "all", "print all fields of the specs, not only what differs"),
			cmdline.Flag(&d.exploration, "exploration",
				"of two runs: add how they explored, and how much of it both covered"),
			cmdline.Flag(&d.exitZero, "exit-zero", "exit 0 where differences are found, too"),
			diffview.CosineFlag(&d.cosine),
			diffview.AgreementFlag(&d.agreement),
			cmdline.Optional(&d.gap, "gap", "singular values that differ by at most `X` of the larger are nearly equal",
				"0.01"),
			cmdline.Flag(&d.group, "group", "over many runs: do they discover the same, beside chance?"),
			diffview.ByFlag(&d.by),
			cmdline.Optional(&d.matrix, "matrix", "with --group: print `WHAT`: options or purposes (by run, the first "+
				"iteration), members (of those that several runs found), runs (how similar each two are) or iterations (the "+
				"table beside chance)", ""),
			cmdline.Optional(&d.draws, "draws", "with --group: take p-values from `N` permutations",
				strconv.Itoa(stats.DefaultDraws)),
		}, cmdline.Answering(d.compare)
	},
})

func (d *diffing) compare(c *cli.Context) (a cmdline.Answer, err error) {
	limits, err := diffview.ParseLimits(d.cosine, d.agreement, d.gap)
	if err != nil {
		return a, err
	}
	if err := d.check(c); err != nil {
		return a, err
	}
	c.Context = new(diff.Memo).Within(c.Context) // a document's figures show the same result
	if d.group {
		return d.compareGroup(c, limits)
	}
	if c.NArg() != 2 {
		return a, schema.Hint(fmt.Errorf("diff takes two runs, iterations or options, not %d", c.NArg()),
			"podtrack diff A B, or podtrack diff --group FILTER for many runs; podtrack ls lists the runs")
	}
	refA, refB, err := diff.ParseRefs(c.Args().Get(0), c.Args().Get(1))
	if err != nil {
		return a, err
	}
	if d.exploration && !refA.WholeRun {
		return a, schema.Hint(errors.New("--exploration needs two runs"), "podtrack diff %s %s --exploration",
			textfmt.ShellQuote(refA.Run), textfmt.ShellQuote(refB.Run))
	}
	return d.compareTwo(c, refA, refB, limits)
}

// check returns an error for flags that do not go together.
func (d *diffing) check(c *cli.Context) error {
	of := cmdline.FirstSet(c, "matrix", "by", "draws")
	format, err := table.ParseFormat(c)
	switch {
	case err != nil:
		return err
	case d.group && d.exploration:
		return schema.Hint(errors.New("--exploration together with --group"),
			"podtrack show --group FILTER --measure exploration has its measures of a group")
	case !d.group && of != "":
		return schema.Hint(fmt.Errorf("--%s without --group", of),
			"it is for podtrack diff --group FILTER, which compares many runs")
	case d.exploration && format != table.Formats[0]:
		return schema.Hint(fmt.Errorf("--exploration with --format %s, which has the pairs of purposes", format),
			"--json has all; podtrack show RUN --exploration --format %s has it of one run", format)
	}
	return nil
}

func (d *diffing) compareTwo(c *cli.Context, refA, refB report.Ref, limits diff.Limits) (
	answer cmdline.Answer, err error,
) {
	a, err := diff.Open(c.Context, cmdline.OpenStore(c), refA.Run)
	if err != nil {
		return answer, err
	}
	other := cmdline.OpenStore(c)
	if d.other != nil && *d.other != "" {
		other = cmdline.StoreAt(c, *d.other)
	}
	b, err := diff.Open(c.Context, other, refB.Run)
	if errors.Is(err, tracker.ErrNoStore) && d.other != nil {
		return answer, schema.Hint(err, "--other is the path of a bundle or of another store")
	}
	if err != nil {
		return answer, err
	}
	if refA.IsOption() {
		return d.compareOptions(c, a, refA, b, refB, limits)
	}
	r, err := diff.CompareRefs(c.Context, a, refA, b, refB, limits)
	if err == nil && d.exploration {
		r.Exploration, err = diff.CompareExploration(c.Context, a, b)
	}
	if err != nil {
		return answer, err
	}
	if d.all {
		r.Spec = report.AlignSpecs(a.SpecOf(refA), b.SpecOf(refB))
	}
	var figures [][]string
	if slices.ContainsFunc(r.Iterations, func(it diff.Comparison) bool { return len(it.Pairs) > 0 }) && d.other == nil {
		figures = [][]string{d.plot(c)}
	}
	return cmdline.Answer{
		JSON: r, Title: fmt.Sprintf("%s and %s", c.Args().Get(0), c.Args().Get(1)),
		Text: func(w table.Text) {
			diffview.PrintReport(w, r, refA.WholeRun)
			diffview.PrintExploration(w, r.Exploration)
		},
		Tables:  func() table.List { return table.List{diffview.PairTable(r.Iterations, false, r.A, r.B)} },
		Figures: figures,
		Verdict: d.verdict(r.Equivalent),
	}, nil
}

func (d *diffing) compareOptions(c *cli.Context, a *diff.Side, refA report.Ref, b *diff.Side, refB report.Ref,
	limits diff.Limits) (answer cmdline.Answer, err error) {
	r, err := diff.CompareOptions(c.Context, a, refA, b, refB, limits)
	if err != nil {
		return answer, err
	}
	if d.all {
		r.Spec = report.AlignSpecs(a.SpecOf(refA), b.SpecOf(refB))
	}
	pair := []diff.Comparison{{Pairs: []diff.Pair{r.Pair}}}
	return cmdline.Answer{
		JSON:    r,
		Title:   fmt.Sprintf("%s and %s", c.Args().Get(0), c.Args().Get(1)),
		Text:    func(w table.Text) { diffview.PrintOptionDiff(w, r) },
		Tables:  func() table.List { return table.List{diffview.PairTable(pair, false, r.RunA, r.RunB)} },
		Verdict: d.verdict(r.Equivalent),
	}, nil
}

// plot returns what podtrack plot takes to draw the same comparison.
func (d *diffing) plot(c *cli.Context, flags ...string) []string {
	words := append([]string{"diff"}, flags...)
	for _, name := range []string{"cosine", "agreement"} {
		if c.IsSet(name) {
			words = append(words, "--"+name+"="+c.String(name))
		}
	}
	return append(words, c.Args().Slice()...)
}

// verdict returns an error if the two are not equivalent.
func (d *diffing) verdict(equivalent bool) error {
	if equivalent || d.exitZero {
		return nil
	}
	return cmdline.ErrSilentDifference
}

// matrices lists what --matrix prints.
var matrices = []string{"options", "purposes", "members", "runs", "iterations"}

const mostDraws = 1_000_000 // so that p-values take limited time

// compareGroup returns what the runs of a group discovered. It exits 0 whatever the result.
func (d *diffing) compareGroup(c *cli.Context, limits diff.Limits) (a cmdline.Answer, err error) {
	options, matrix, err := d.groupOptions(c, limits)
	if err == nil {
		err = cmdline.SomeArgs(c)
	}
	if err != nil {
		return a, err
	}
	selected, err := cmdline.SelectSomeRuns(c)
	if err != nil {
		return a, err
	}
	g, err := diffview.Cluster(c.Context, c.App.ErrWriter, cmdline.OpenStore(c), selected, options)
	if err != nil {
		return a, err
	}
	a = diffview.AnswerGroup(g, matrix)
	if len(g.Runs) > 1 {
		by := "--by=" + string(g.By)
		a.Figures = [][]string{d.plot(c, "--group", by)}
		if all := g.Distinct(); g.By == diff.Options && len(all) > 0 && all[0].Runs > 1 && all[0].End != "" {
			a.Figures = append(a.Figures, d.plot(c, "--group", by, "--shared"))
		}
	}
	return a, nil
}

// groupOptions returns what to compare, and the matrix to print, "" for none. It returns an error for flags that
// apply to two runs only.
func (d *diffing) groupOptions(c *cli.Context, limits diff.Limits) (o diff.GroupOptions, matrix string, err error) {
	if name := cmdline.FirstSet(c, "other", "all", "gap"); name != "" {
		return o, "", schema.Hint(fmt.Errorf("--%s together with --group", name),
			"a group is compared within one store, by --cosine and --agreement; leave --%s out", name)
	}
	if d.matrix != nil {
		if matrix = *d.matrix; !slices.Contains(matrices, matrix) {
			return o, "", schema.Hint(fmt.Errorf("unknown matrix %q", matrix), "the matrices are %s",
				strings.Join(matrices, ", "))
		}
	}
	o.Limits = limits
	if d.by != nil {
		if o.By, err = diffview.ParseKind(*d.by); err != nil {
			return o, "", err
		}
	}
	if matrix == string(diff.Purposes) && o.By == "" {
		o.By = diff.Purposes // options would be compared for nothing
	}
	if matrix == string(diff.Options) && o.By == diff.Purposes {
		return o, "", schema.Hint(fmt.Errorf("--matrix options together with --by purposes"), "leave --by out")
	}
	o.Draws, err = parseDraws(d.draws)
	return o, matrix, err
}

func parseDraws(text *string) (int, error) {
	if text == nil {
		return 0, nil
	}
	n, err := strconv.Atoi(textfmt.PlainInteger(*text))
	if err != nil || n < 1 || n > mostDraws {
		return 0, schema.Hint(fmt.Errorf("--draws: invalid value %q", *text), "give a whole number from 1 to %d", mostDraws)
	}
	return n, nil
}
