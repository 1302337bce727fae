package command

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
)

// printSummary prints what was evaluated, the tables, then notes on what the numbers mean.
func printSummary(w io.Writer, s evaluate.Summary, in *evaluate.Subject, format string) error {
	tables := []*table.Table{newLevelTable(s)}
	if len(s.Arms) > 1 {
		tables = append(tables, newComparisonTable(s), newRatioTable(s))
	}
	if format != table.Formats[0] {
		for i, t := range tables {
			if i > 0 {
				fmt.Fprintln(w)
			}
			if err := t.Print(w, format); err != nil {
				return err
			}
		}
		return nil
	}
	table.PrintWrapped(w, "%s", textform.EscapeLine(runsText(s)))
	table.PrintWrapped(w, "%s by %s", tasksText(s, in), learningText(s.Spec))
	for _, t := range tables {
		fmt.Fprintln(w)
		if err := t.Print(w, format); err != nil {
			return err
		}
	}
	fmt.Fprintln(w)
	for _, note := range summaryNotes(s) {
		table.PrintWrapped(w, "%s", textform.EscapeLine(note))
	}
	return nil
}

func runsText(s evaluate.Summary) string {
	if len(s.Runs) == 1 {
		r := s.Runs[0]
		return fmt.Sprintf("%s:%d, %s of iteration %d", r.Label, r.K, cmdline.Plural(r.Options, "option"), r.K)
	}
	least, most := s.Runs[0].Options, s.Runs[0].Options
	for _, r := range s.Runs {
		least, most = min(least, r.Options), max(most, r.Options)
	}
	options := cmdline.Plural(least, "option")
	if least != most {
		options = fmt.Sprintf("%d to %s", least, cmdline.Plural(most, "option"))
	}
	return fmt.Sprintf("%s, each with %s", cmdline.Plural(len(s.Runs), "run"), options)
}

// tasksText returns what the tasks are.
func tasksText(s evaluate.Summary, in *evaluate.Subject) string {
	starts, goals := map[int]bool{}, map[int]bool{}
	for _, t := range s.Tasks {
		starts[t.Start], goals[t.Goal] = true, true
	}
	switch {
	case len(s.Tasks) == 1:
		return "to " + evaluate.FormatState(in.Env, s.Tasks[0].Goal) + " " + startText(s.Tasks[0].Start, in)
	case len(starts) == 1 && len(goals) == len(s.Tasks):
		return fmt.Sprintf("%d goals %s", len(goals), startText(s.Tasks[0].Start, in))
	}
	return fmt.Sprintf("%d pairs of start and goal", len(s.Tasks))
}

func startText(start int, in *evaluate.Subject) string {
	if start == schema.AnyStart {
		return "from a start drawn for each episode,"
	}
	return "from " + evaluate.FormatState(in.Env, start)
}

// newLevelTable returns a table with a row for each arm: means over all tasks.
func newLevelTable(s evaluate.Summary) *table.Table {
	g := table.New(table.Left("with"), table.Right("steps early"), table.Left("interval").Optional(1),
		table.Right("steps late"), table.Left("interval").Optional(2), table.Right("area"),
		table.Left("interval").Optional(3), table.Right("reached"))
	for _, a := range s.Arms {
		g.Add(evaluate.ArmText(a.Name), estimated(a.EarlySteps, 1), interval(a.EarlySteps, 1),
			estimated(a.LateSteps, 1), interval(a.LateSteps, 1), estimated(a.Area, 4), interval(a.Area, 4),
			percent(a.Reached))
	}
	steps := decimal(s.Bound.Steps, 1)
	g.Add("shortest path", steps, table.None, steps, table.None, decimal(s.Bound.Return, 4), table.None, "100.0 %")
	return g
}

// newComparisonTable returns a table with a row for each arm that the options are compared with.
func newComparisonTable(s evaluate.Summary) *table.Table {
	g := table.New(table.Left("options against"), table.Right("area difference"), table.Left("interval"),
		table.Right("wins early"), table.Left("interval").Optional(1), table.Right("wins late"),
		table.Left("interval").Optional(2), table.Right("wins in area"), table.Left("interval").Optional(3),
		table.Left("clearly in area"))
	for _, a := range s.Arms {
		x := a.Against
		if x == nil {
			continue
		}
		g.Add(evaluate.ArmText(a.Name), estimated(x.Area, 4), interval(x.Area, 4), share(x.WinsEarly.Share),
			shareInterval(x.WinsEarly.Share), share(x.WinsLate.Share), shareInterval(x.WinsLate.Share),
			share(x.WinsArea.Share), shareInterval(x.WinsArea.Share),
			fmt.Sprintf("%d : %d", x.WinsArea.Better, x.WinsArea.Worse))
	}
	return g
}

// newRatioTable returns a table of how the ratios of early steps are distributed over the tasks.
func newRatioTable(s evaluate.Summary) *table.Table {
	g := table.New(table.Left("ratio of early steps to"), table.Right("least"), table.Right("10 %"), table.Right("25 %"),
		table.Right("median"), table.Right("75 %"), table.Right("90 %"), table.Right("most"))
	for _, a := range s.Arms[1:] {
		var ratios []float64
		for _, t := range s.Tasks {
			ratios = append(ratios, t.EarlyRatio(a.Name))
		}
		slices.Sort(ratios)
		row := []string{evaluate.ArmText(a.Name)}
		for _, p := range []float64{0, 0.1, 0.25, 0.5, 0.75, 0.9, 1} {
			row = append(row, decimal(stats.Quantile(p, ratios), 2))
		}
		g.Add(row...)
	}
	return g
}

func share(e *stats.Estimate) string { return fmt.Sprintf("%.0f %%", 100*e.Value) }

func shareInterval(e *stats.Estimate) string {
	if e.Low == nil || e.High == nil {
		return table.None
	}
	return fmt.Sprintf("%.0f … %.0f %%", 100**e.Low, 100**e.High)
}

// summaryNotes returns notes on what the numbers mean and where they are recorded.
func summaryNotes(s evaluate.Summary) []string {
	notes := []string{fmt.Sprintf("Early and late are the first and the last %s of a task; an episode that does not "+
		"reach the goal counts as %d steps and returns 0. Area: mean return of all episodes. Numbers are means over tasks, "+
		"seeds and runs.", cmdline.Plural(s.Window, "episode"), s.Spec.Limit)}
	notes = append(notes, protocolNotes(s.Spec)...)
	notes = append(notes, empiricalNote(s.Empirical)...)
	if len(s.Runs) > 1 {
		notes = append(notes, fmt.Sprintf("Intervals, 95 %%: over the %d runs and the %s of learning, which all runs share "+
			"(the variances of both means added, Student's t); those of wins over the runs.", len(s.Runs),
			cmdline.Plural(len(s.Spec.Seeds), "seed")))
	} else {
		notes = append(notes, fmt.Sprintf("Intervals, 95 %%: over the %s of learning (Student's t of the means over tasks). "+
			"They are about these options: another run's would differ; a filter of runs in place of the run tells by how "+
			"much.", cmdline.Plural(len(s.Spec.Seeds), "seed")))
	}
	if len(s.Arms) > 1 {
		notes = append(notes, fmt.Sprintf("Wins: share of the tasks for which the options do better, by means over the "+
			"seeds; ties count half. Clearly: tasks for which a better or a worse area is settled, with p at most %.2g and "+
			"an interval at %.4g %% that excludes 0, adjusted for %s.", stats.Significance,
			100*stats.Bonferroni(stats.Level, len(s.Tasks)), cmdline.Plural(len(s.Tasks), "task")))
	}
	return append(notes, recordedText(s))
}

// recordedText returns where the evaluations are recorded.
func recordedText(s evaluate.Summary) string {
	before := 0
	for _, r := range s.Runs {
		if r.Recorded {
			before++
		}
	}
	if len(s.Runs) == 1 {
		r := s.Runs[0]
		ref := textform.ShellQuote(r.Label)
		if r.Recorded {
			return fmt.Sprintf("Recorded before as evaluation %.12s: nothing was computed. podtrack replay %s:%d computes it "+
				"again.", r.Digest, ref, r.K)
		}
		return fmt.Sprintf("Recorded with iteration %d as evaluation %.12s; podtrack replay %s:%d computes it again.", r.K,
			r.Digest, ref, r.K)
	}
	text := fmt.Sprintf("Recorded with the runs, as one evaluation each; %d of them before.", before)
	return strings.Replace(text, " 0 of them before", " none of them before", 1)
}
