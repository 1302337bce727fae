// Package compare has the commands that compare: diff compares runs, iterations and options by what they learned,
// compare groups of runs by their measures, and evaluate what options are worth.
package compare

import (
	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/groupview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"

	"github.com/urfave/cli/v2"
)

const compareDescription = `Each argument names a group of runs: a filter of one or more terms in quotes, or
references; the first one is the baseline. With --by, all arguments are one filter,
whose runs are split by their values of some fields. Examples:

  podtrack compare 'reading=as-written hide=0' 'reading=as-published hide=0' --paired seed
  podtrack compare hide=3 --by kappa --measure distance

With study=NAME alone the variants of a study are compared, as its file says: see
podtrack help studies.

The difference from the baseline is that of the means. With --paired it is the mean
difference of the runs that have the same value of that field; runs without a partner
are left out of it. P(more) is the probability that a run of the group has more than
one of the baseline, a tie counting as half. Intervals are 95 %: of the difference
Welch's t, or Student's t of the pairs; of P(more) Newcombe's score method. With more
than two groups all intervals of a measure and iteration hold together (Bonferroni), and p-values are
adjusted for the number of groups (Holm). Undefined measures are left out, and n
says so.`

var _ = cmdline.Register(cmdline.Command{
	Name: "compare", Group: cmdline.GroupCompare, Place: 2,
	Example:     "podtrack compare seed=0 seed=1-2",
	Served:      []string{"paired", "baseline", "label", "overall", "measure", "by", "iteration"},
	JSON:        []any{group.Contrasts{}, group.StudyComparison{}},
	Usage:       "compare the measures of two or more groups of runs",
	Args:        "FILTER_A FILTER_B… | FILTER --by LIST",
	Description: compareDescription,
	Make: func() ([]cli.Flag, cli.ActionFunc) {
		r := groupview.Comparing{Selection: groupview.NewSelection()}
		return append([]cli.Flag{cmdline.StoreFlag(), cmdline.JsonFlag(), table.FormatFlag()}, r.Flags()...),
			cmdline.Answering(r.Compare)
	},
})
