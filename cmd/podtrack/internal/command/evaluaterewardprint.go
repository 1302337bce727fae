package command

import (
	"fmt"
	"math"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/schema"
)

func rewardTaskText(r evaluate.Report, s *evaluate.Subject) string {
	start := "where recorded episodes began"
	if r.Spec.Start != schema.AnyStart {
		start = evaluate.FormatState(s.Env, r.Spec.Start)
	}
	return fmt.Sprintf("for the recorded rewards, from %s, by %s", start, learningText(r.Spec))
}

// newReturnTables returns a table with a row for the options and each baseline, and one of comparisons if there
// is a baseline.
func newReturnTables(r evaluate.Report) []*table.Table {
	tables := []*table.Table{newReturnTable(r)}
	if len(r.Arms) > 1 {
		tables = append(tables, newReturnComparisonTable(r))
	}
	return tables
}

func newReturnTable(r evaluate.Report) *table.Table {
	g := table.New(table.Left("with"), table.Right("return early"), table.Left("interval").Optional(1),
		table.Right("return late"), table.Left("interval").Optional(2), table.Right("mean return"),
		table.Left("interval").Optional(3), table.Right("length early"), table.Right("length late"),
		table.Right("terminated"))
	digits := returnDigits(r)
	for _, a := range r.Arms {
		g.Add(evaluate.ArmText(a.Name), estimated(a.EarlyReturn, digits), interval(a.EarlyReturn, digits),
			estimated(a.LateReturn, digits), interval(a.LateReturn, digits), estimated(a.Area, digits),
			interval(a.Area, digits), estimated(a.EarlySteps, 1), estimated(a.LateSteps, 1), percent(a.Reached))
	}
	if best := r.Best(); best != nil {
		g.Add("best possible", decimal(*best, digits), table.None, decimal(*best, digits), table.None,
			decimal(*best, digits), table.None, table.None, table.None, table.None)
	}
	return g
}

// newReturnComparisonTable returns a table with a row for each arm that the options are compared with.
func newReturnComparisonTable(r evaluate.Report) *table.Table {
	g := table.New(table.Left("options against"), table.Right("return difference"), table.Left("interval"),
		table.Right("early"), table.Left("interval").Optional(2), table.Right("late"), table.Left("interval").Optional(3),
		table.Right("seeds won early"), table.Right("seeds won late"), table.Right("seeds won"),
		table.Left("interval").Optional(1))
	digits := returnDigits(r)
	for _, a := range r.Arms {
		x := a.Against
		if x == nil {
			continue
		}
		g.Add(evaluate.ArmText(a.Name), estimated(x.Area, digits), interval(x.Area, digits),
			estimated(x.EarlyReturn, digits), interval(x.EarlyReturn, digits), estimated(x.LateReturn, digits),
			interval(x.LateReturn, digits), share(x.WinsEarly), share(x.WinsLate), share(x.WinsArea),
			shareInterval(x.WinsArea))
	}
	return g
}

// returnDigits returns the decimals with which returns are shown: three or four places of the largest.
func returnDigits(r evaluate.Report) int {
	largest := 0.0
	for _, a := range r.Arms {
		if a.Area != nil {
			largest = max(largest, math.Abs(a.Area.Value))
		}
	}
	switch {
	case largest < 10:
		return 3
	case largest < 100:
		return 2
	}
	return 1
}

// rewardNotes returns what the numbers of a task of rewards mean.
func rewardNotes(r evaluate.Report) []string {
	notes := []string{
		fmt.Sprintf("Return: sum of an episode's rewards, not discounted; more is better. Early and late are the first and "+
			"the last %s. An episode ends where recorded ones terminated (terminated: share of them), or after %d steps. "+
			"Numbers are means over seeds, with 95 %% intervals (Student's t).", cmdline.Plural(r.Window, "episode"),
			r.Spec.Limit),
	}
	notes = append(notes, protocolNotes(r.Spec)...)
	if r.Best() != nil {
		notes = append(notes, "Best possible: the largest expected return of any agent in this model.")
	}
	if m := r.Empirical; m != nil {
		notes = append(notes, fmt.Sprintf("Empirical model: %s between %s, from %s of the run, each with its mean reward. "+
			"The program was not asked: only actions that were tried in a state can be taken there.%s",
			cmdline.Plural(r.Rewards.Transitions, "distinct transition"), cmdline.Plural(m.States, "state"),
			cmdline.Plural(int(m.Steps), "recorded step"), leftOutText(r.Rewards.LeftOut)))
		if r.Rewards.Largest == 0 {
			notes = append(notes, "All recorded rewards are 0: no agent can learn from them. More steps may find others.")
		}
	}
	if len(r.Arms) > 1 {
		notes = append(notes, "Differences: by how much the options earn more, seed by seed. Seeds won: share of the seeds "+
			"with which they do; ties count half.")
	}
	return notes
}

func leftOutText(n int) string {
	switch n {
	case 0:
		return ""
	case 1:
		return " 1 transition into a state that was never left is not in it."
	}
	return fmt.Sprintf(" %d transitions into states that were never left are not in it.", n)
}
