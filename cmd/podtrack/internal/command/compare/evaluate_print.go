package compare

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// evaluated is what evaluate found.
type evaluated struct {
	evaluate.Document
	subject *evaluate.Subject // the first run's
}

// answer returns what was evaluated, the results, then notes on what the numbers mean.
func (e evaluated) answer() cmdline.Answer {
	head := []string{runsText(e.Runs)}
	var tables table.List
	var notes []string
	if s := e.Summary; s != nil {
		head = append(head, fmt.Sprintf("%s by %s", tasksText(*s, e.subject), learningText(s.Spec)))
		tables, notes = append(tables, newStepsTable(*s)), summaryNotes(*s)
		if len(s.Arms) > 1 {
			tables = append(tables, newComparisonTable(*s))
		}
	}
	if e.Diffusion != nil {
		tables = append(tables, newDiffusionTable(e.Diffusion))
		notes = append(notes,
			"Diffusion: expected decisions and steps of a uniformly random walk from one state to another, "+
				"exact, mean over all ordered pairs.",
			"Cover: until every state was visited, from the start state; "+
				"mean of 100 simulated walks, none where they would take too long.")
	}
	return cmdline.Answer{
		JSON:   e.Document,
		Tables: func() table.List { return tables },
		Text: func(w table.Text) {
			w.Notes(head)
			for _, t := range tables {
				w.TableBelow(t)
			}
			w.Blank()
			w.Notes(notes)
		},
	}
}

func runsText(runs []evaluate.EvaluatedRun) string {
	if len(runs) == 1 {
		r := runs[0]
		return fmt.Sprintf("%s:%d, %s of iteration %d", r.Label, r.K, cmdline.Plural(r.Options, "option"), r.K)
	}
	least, most := runs[0].Options, runs[0].Options
	for _, r := range runs {
		least, most = min(least, r.Options), max(most, r.Options)
	}
	options := cmdline.Plural(least, "option")
	if least != most {
		options = fmt.Sprintf("%d to %s", least, cmdline.Plural(most, "option"))
	}
	return fmt.Sprintf("%s, each with %s", cmdline.Plural(len(runs), "run"), options)
}

// tasksText returns what the tasks are.
func tasksText(s evaluate.Summary, in *evaluate.Subject) string {
	start := "a start drawn for each episode"
	if first := s.Tasks[0]; first.Start != task.AnyStart {
		start = evaluate.FormatState(in.Env, first.Start)
	}
	if len(s.Tasks) > 1 {
		return fmt.Sprintf("from %s to %d goals", start, len(s.Tasks))
	}
	return fmt.Sprintf("from %s to %s", start, evaluate.FormatState(in.Env, s.Tasks[0].Goal))
}

// learningText returns how a task is learned.
func learningText(spec task.Spec) string {
	text := string(spec.Algorithm) + " Q-learning"
	if spec.Algorithm == task.Published {
		text = "the published protocol"
	}
	if spec.Interrupt {
		text += ", interrupting options"
	}
	if spec.All {
		text += ", with the options of earlier iterations"
	}
	epsilon := fmt.Sprintf("ε %g", spec.Epsilon)
	if spec.Algorithm != task.Published {
		epsilon += " falling to 0"
	}
	return fmt.Sprintf("%s: %s, %s of up to %d steps, α %g, %s, γ %g", text,
		cmdline.Plural(len(spec.Seeds), "seed"), cmdline.Plural(spec.Episodes, "episode"), spec.Limit, spec.Alpha,
		epsilon, spec.Gamma)
}

// newStepsTable returns a table with one row for the options and one for each baseline.
func newStepsTable(s evaluate.Summary) *table.Table {
	g := table.New(table.Left("with"), table.Right("steps early"), table.Left("interval").Optional(1),
		table.Right("steps late"), table.Left("interval").Optional(2), table.Right("area"),
		table.Left("interval").Optional(3), table.Right("reached"))
	for _, a := range s.Arms {
		g.Add(slices.Concat([]string{evaluate.ArmText(a.Name)}, withIntervals(1, a.EarlySteps, a.LateSteps),
			withIntervals(4, a.Area), []string{fmt.Sprintf("%.1f %%", 100*a.Reached.Value)})...)
	}
	steps := textfmt.FormatNumber(s.Bound.Steps, 1)
	g.Add("shortest path", steps, table.None, steps, table.None, textfmt.FormatNumber(s.Bound.Return, 4), table.None,
		"100.0 %")
	return g
}

// newComparisonTable returns a table with a row for each arm that the options are compared with.
func newComparisonTable(s evaluate.Summary) *table.Table {
	g := table.New(table.Left("options against"), table.Right("area difference"), table.Left("interval"))
	wins := len(s.Tasks) > 1 || len(s.Runs) > 1
	if wins {
		g.Columns = append(g.Columns, table.Right("wins early"), table.Left("interval").Optional(1), table.Right("wins late"),
			table.Left("interval").Optional(2), table.Right("wins in area"), table.Left("interval").Optional(3),
			table.Left("clearly in area"))
	}
	for _, a := range s.Arms[1:] {
		x := a.Against
		row := append([]string{evaluate.ArmText(a.Name)}, withIntervals(4, x.Area)...)
		if wins {
			row = append(row, sharesWithIntervals(x.WinsEarly.Share, x.WinsLate.Share, x.WinsArea.Share)...)
			row = append(row, fmt.Sprintf("%d : %d", x.WinsArea.Better, x.WinsArea.Worse))
		}
		g.Add(row...)
	}
	return g
}

func newDiffusionTable(all []evaluate.Diffusion) *table.Table {
	g := table.New(table.Right("options"), table.Left("the last"), table.Right("#").CSV("number"),
		table.Right("decisions"), table.Right("steps"),
		table.Right("cover decisions"), table.Left("interval").Optional(1), table.Right("cover steps"),
		table.Left("interval").Optional(2))
	for _, d := range all {
		g.Add(append([]string{fmt.Sprint(d.Options), d.Last, table.Number(d.Number, 0), table.Number(&d.Decisions, 4),
			table.Number(&d.Steps, 4)}, withIntervals(1, d.CoverDecisions, d.CoverSteps)...)...)
	}
	return g
}

// summaryNotes returns notes on what the numbers mean.
func summaryNotes(s evaluate.Summary) []string {
	late, seeds := cmdline.Plural(s.Window, "episode"), cmdline.Plural(len(s.Spec.Seeds), "seed")
	notes := []string{fmt.Sprintf("Early and late are the first and the last %s of a task; an episode that does not "+
		"reach the goal counts as %d steps and returns 0. Area: mean return of all episodes. Shortest path: the bound that "+
		"no agent can beat.", late, s.Spec.Limit)}
	if s.Spec.Algorithm == task.Published {
		notes = append(notes, fmt.Sprintf("Decisions draw from all actions and available options alike, and every step "+
			"teaches the value of its action. The episodes that are counted are others: after each one of learning, "+
			"one by the actions alone, greedy but for a share of %g.", s.Spec.Epsilon))
	} else {
		notes = append(notes, fmt.Sprintf("The last %s are greedy: ε has fallen to 0, and no option is drawn by chance.",
			late))
	}
	if m := s.Empirical; m != nil {
		notes = append(notes, fmt.Sprintf("Empirical model: %s between %s, from %s of the run. The program was not asked: "+
			"what was not observed is unknown, and an action that was not tried in a state leaves the agent there.",
			cmdline.Plural(m.Transitions, "distinct transition"), cmdline.Plural(m.States, "state"),
			cmdline.Plural(int(m.Steps), "recorded step")))
	}
	if len(s.Runs) > 1 {
		notes = append(notes, fmt.Sprintf("Intervals, 95 %%: over the %d runs and the %s of learning, which all runs share "+
			"(the variances of both means added, Student's t); those of wins over the runs.", len(s.Runs), seeds))
		if len(s.Runs) == 2 {
			notes = append(notes, "Over two runs such an interval may hold the mean in 88 % of the cases only, by simulation; "+
				"with more runs it comes closer to 95 %.")
		}
	} else {
		notes = append(notes, fmt.Sprintf("Intervals, 95 %%: over the %s of learning (Student's t of the means over tasks). "+
			"They are about these options: another run's would differ; a filter of runs in place of the run tells by how "+
			"much.", seeds))
	}
	if len(s.Arms) > 1 && len(s.Tasks) > 1 {
		notes = append(notes, fmt.Sprintf("Wins: share of the tasks for which the options do better, by means over the "+
			"seeds; ties count half. Clearly: tasks for which a better or a worse area is settled, with p at most %.2g and "+
			"an interval at %.4g %% that excludes 0, adjusted for %s.", stats.Significance,
			100*stats.Bonferroni(stats.Level, len(s.Tasks)), cmdline.Plural(len(s.Tasks), "task")))
	}
	return notes
}

// withIntervals returns the cells of estimates, each followed by the cell of its interval.
func withIntervals(digits int, all ...*stats.Estimate) (cells []string) {
	for _, e := range all {
		value, interval := table.None, table.None
		if e != nil {
			value = textfmt.FormatNumber(e.Value, digits)
		}
		if e != nil && e.Low != nil && e.High != nil {
			interval = textfmt.FormatNumber(*e.Low, digits) + " … " + textfmt.FormatNumber(*e.High, digits)
		}
		cells = append(cells, value, interval)
	}
	return cells
}

// sharesWithIntervals returns the cells of shares, each followed by the cell of its interval.
func sharesWithIntervals(all ...*stats.Estimate) (cells []string) {
	for _, e := range all {
		interval := table.None
		if e.Low != nil && e.High != nil {
			interval = fmt.Sprintf("%.0f … %.0f %%", 100**e.Low, 100**e.High)
		}
		cells = append(cells, fmt.Sprintf("%.0f %%", 100*e.Value), interval)
	}
	return cells
}
