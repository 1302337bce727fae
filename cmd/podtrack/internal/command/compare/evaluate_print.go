package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// answerOf returns what was evaluated, the results, then notes on what the numbers mean; first is the first run's.
func answerOf(found evaluate.Document, first *evaluate.Subject) cmdline.Answer {
	head := []string{runsText(found.Runs)}
	var tables table.List
	var notes []string
	if s := found.Summary; s != nil {
		head = append(head, fmt.Sprintf("%s by %s", tasksText(*s, first), learningText(s.Spec)))
		tables, notes = append(tables, newStepsTable(*s)), summaryNotes(*s)
		if len(s.Arms) > 1 {
			head, tables = append(head, s.Verdict()), append(tables, newComparisonTable(*s))
		}
	}
	if found.Diffusion != nil {
		tables = append(tables, newDiffusionTable(found.Diffusion))
		notes = append(notes,
			"Diffusion: expected decisions and steps of a uniformly random walk from one state to another, "+
				"exact, mean over all ordered pairs.",
			"Cover: until every state was visited, from the start state; "+
				"mean of 100 simulated walks, none where they would take too long.")
	}
	return cmdline.Answer{
		JSON:   found,
		Title:  "What options are worth",
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
		return fmt.Sprintf("%s:%d, %s of iteration %d", r.Label, r.K, textfmt.CountOf(r.Options, "option"), r.K)
	}
	least, most := runs[0].Options, runs[0].Options
	for _, r := range runs {
		least, most = min(least, r.Options), max(most, r.Options)
	}
	options := textfmt.CountOf(least, "option")
	if least != most {
		options = fmt.Sprintf("%d to %s", least, textfmt.CountOf(most, "option"))
	}
	return fmt.Sprintf("%s, each with %s", textfmt.CountOf(len(runs), "run"), options)
}

func tasksText(s evaluate.Summary, in *evaluate.Subject) string {
	start := "a start drawn for each episode"
	if first := s.Tasks[0]; first.Start != task.AnyStart {
		start = envs.FormatState(in.Env, first.Start)
	}
	if len(s.Tasks) > 1 {
		return fmt.Sprintf("from %s to %d goals", start, len(s.Tasks))
	}
	return fmt.Sprintf("from %s to %s", start, envs.FormatState(in.Env, s.Tasks[0].Goal))
}

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
		textfmt.CountOf(len(spec.Seeds), "seed"), textfmt.CountOf(spec.Episodes, "episode"), spec.Limit, spec.Alpha,
		epsilon, spec.Gamma)
}

// newStepsTable returns a table with one row for the options and one for each baseline.
func newStepsTable(s evaluate.Summary) *table.Table {
	steps, whole := &stats.Estimate{Value: s.Bound.Steps}, &stats.Estimate{Value: 1}
	return table.Of(append(slices.Clone(s.Arms), evaluate.SummaryArm{Name: "shortest path", EarlySteps: steps,
		LateSteps: steps, Area: &stats.Estimate{Value: s.Bound.Return}, Reached: whole}), slices.Concat(
		[]table.Column{armColumn.As("with")},
		withInterval("steps early", "early_steps", 1, digits(1)),
		withInterval("steps late", "late_steps", 2, digits(1)),
		withInterval("area", "area", 3, digits(4)),
		[]table.Column{table.Format(table.Right("reached"),
			func(e stats.Estimate) string { return fmt.Sprintf("%.1f %%", 100*e.Value) })})...)
}

// newComparisonTable returns a table with a row for each arm that the options are compared with.
func newComparisonTable(s evaluate.Summary) *table.Table {
	columns := append([]table.Column{armColumn.As("options against")},
		withInterval("area difference", "against.area", 0, digits(4))...)
	if len(s.Tasks) > 1 || len(s.Runs) > 1 {
		columns = append(slices.Concat(columns,
			withInterval("wins early", "against.wins_early.share", 1, evaluate.Percent),
			withInterval("wins late", "against.wins_late.share", 2, evaluate.Percent),
			withInterval("wins in area", "against.wins_area.share", 3, evaluate.Percent)),
			table.Format(table.Left("against.wins_area").As("clearly in area"),
				func(w evaluate.Wins) string { return fmt.Sprintf("%d : %d", w.Better, w.Worse) }))
	}
	return table.Of(s.Arms[1:], columns...)
}

func newDiffusionTable(all []evaluate.Diffusion) *table.Table {
	return table.Of(all, slices.Concat([]table.Column{
		table.Right("options"), table.Left("last").As("the last"), table.Right("number").As("#").CSV("number"),
		table.Right("decisions").Digits(4), table.Right("steps").Digits(4),
	}, withInterval("cover decisions", "cover_decisions", 1, digits(1)),
		withInterval("cover steps", "cover_steps", 2, digits(1)))...)
}

func summaryNotes(s evaluate.Summary) []string {
	late, seeds := textfmt.CountOf(s.Window, "episode"), textfmt.CountOf(len(s.Spec.Seeds), "seed")
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
			textfmt.CountOf(m.Transitions, "distinct transition"), textfmt.CountOf(m.States, "state"),
			textfmt.CountOf(int(m.Steps), "recorded step")))
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
			100*stats.Bonferroni(stats.Level, len(s.Tasks)), textfmt.CountOf(len(s.Tasks), "task")))
	}
	return notes
}

var armColumn = table.Format(table.Left("name"), evaluate.ArmText)

// withInterval returns a column of the estimates in a field, and one of their intervals, with numbers as text has them.
func withInterval(title, field string, rank int, text func(float64) string) []table.Column {
	return []table.Column{
		table.Format(table.Right(field).As(title), func(e stats.Estimate) string { return text(e.Value) }),
		table.Format(table.Left(field).As("interval").Optional(rank), func(e stats.Estimate) string {
			if e.Low == nil || e.High == nil {
				return table.None
			}
			return strings.TrimSuffix(text(*e.Low), " %") + " … " + text(*e.High)
		}),
	}
}

// digits returns a function that formats numbers with so many digits after the point.
func digits(n int) func(float64) string {
	return func(x float64) string { return textfmt.FormatNumber(x, n) }
}
