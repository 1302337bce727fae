package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// evaluationReport is what evaluate found of one task or one iteration. A part that was not requested is nil.
type evaluationReport struct {
	subject   *evaluate.Subject
	label     string
	report    *evaluate.Report
	diffusion []evaluate.Diffusion
}

func (e evaluationReport) answer() cmdline.Answer {
	s := e.subject
	head := []string{fmt.Sprintf("%s:%d, %s of iteration %d", e.label, s.K, cmdline.Plural(len(s.Options), "option"), s.K)}
	var tables table.List
	var notes []string
	if r := e.report; r != nil {
		head = append(head, taskText(*r, s))
		tables, notes = append(tables, newReportTables(*r)...), append(notes, reportNotes(*r, e.label)...)
	}
	if e.diffusion != nil {
		tables = append(tables, newDiffusionTable(e.diffusion))
		notes = append(notes,
			"Diffusion: expected decisions and steps of a uniformly random walk from one state to another, "+
				"exact, mean over all ordered pairs.",
			"Cover: until every state was visited, from the start state; "+
				"mean of 100 simulated walks, none where they would take too long.")
	}
	document := evaluate.Document{Run: s.Run.ID, K: s.K, Report: e.report, Diffusion: e.diffusion}
	return answerEvaluation(document, head, tables, notes)
}

// answerSummary returns what was found of many tasks or runs.
func answerSummary(s evaluate.Summary, in *evaluate.Subject) cmdline.Answer {
	var arms []evaluate.ArmReport
	for _, a := range s.Arms {
		arms = append(arms, evaluate.ArmReport{Name: a.Name, EarlySteps: a.EarlySteps, LateSteps: a.LateSteps, Area: a.Area,
			Reached: a.Reached})
	}
	tables := table.List{newStepsTable(arms, &s.Bound, false)}
	if len(s.Arms) > 1 {
		tables = append(tables, newComparisonTable(s), newRatioTable(s))
	}
	head := []string{runsText(s), fmt.Sprintf("%s by %s", tasksText(s, in), learningText(s.Spec))}
	return answerEvaluation(evaluate.SummaryDocument{Summary: s}, head, tables, summaryNotes(s))
}

// answerEvaluation returns an evaluation: what was evaluated, the results, then notes on what the numbers mean.
func answerEvaluation(document any, head []string, tables table.List, notes []string) cmdline.Answer {
	return cmdline.Answer{
		JSON:   document,
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

func taskText(r evaluate.Report, s *evaluate.Subject) string {
	start := "a start drawn for each episode"
	if r.Spec.Reward {
		start = "where recorded episodes began"
	}
	if r.Spec.Start != evaluation.AnyStart {
		start = evaluate.FormatState(s.Env, r.Spec.Start)
	}
	if r.Spec.Reward {
		return fmt.Sprintf("for the recorded rewards, from %s, by %s", start, learningText(r.Spec))
	}
	return fmt.Sprintf("from %s to %s by %s", start, evaluate.FormatState(s.Env, r.Spec.Goal), learningText(r.Spec))
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
	if start == evaluation.AnyStart {
		return "from a start drawn for each episode,"
	}
	return "from " + evaluate.FormatState(in.Env, start)
}

// learningText returns how a task is learned.
func learningText(spec evaluation.Spec) string {
	text := string(spec.Algorithm) + " Q-learning"
	if spec.Algorithm == evaluation.Published {
		text = "the published protocol"
	}
	if spec.Interrupt {
		text += ", interrupting options"
	}
	if spec.All {
		text += ", with the options of earlier iterations"
	}
	epsilon := fmt.Sprintf("ε %g", spec.Epsilon)
	if spec.Algorithm != evaluation.Published {
		epsilon += " falling to 0"
	}
	return fmt.Sprintf("%s: %s, %s of up to %d steps, α %g, %s, γ %g", text,
		cmdline.Plural(len(spec.Seeds), "seed"), cmdline.Plural(spec.Episodes, "episode"), spec.Limit, spec.Alpha,
		epsilon, spec.Gamma)
}

// protocolNotes returns what the numbers of a protocol mean.
func protocolNotes(spec evaluation.Spec) (notes []string) {
	late := cmdline.Plural(spec.LateEpisodes(), "episode")
	switch {
	case spec.Algorithm == evaluation.Published:
		notes = append(notes, fmt.Sprintf("Decisions draw from all actions and available options alike, and every step "+
			"teaches the value of its action. The episodes that are counted are others: after each one of learning, "+
			"one by the actions alone, greedy but for a share of %g.", spec.Epsilon))
	default:
		notes = append(notes, fmt.Sprintf("The last %s are greedy: ε has fallen to 0, and no option is drawn by "+
			"chance.", late))
	}
	if !spec.Reward {
		notes = append(notes, "Shortest path: the bound that no agent can beat.")
	}
	return notes
}

// empiricalNote returns a note on the model in which agents learned, none if it is the environment's own.
func empiricalNote(m *evaluate.Empirical) []string {
	if m == nil {
		return nil
	}
	return []string{fmt.Sprintf("Empirical model: %s between %s, from %s of the run. The program was not asked: what was "+
		"not observed is unknown, and an action that was not tried in a state leaves the agent there.",
		cmdline.Plural(m.Transitions, "distinct transition"), cmdline.Plural(m.States, "state"),
		cmdline.Plural(int(m.Steps), "recorded step"))}
}

// newReportTables returns the tables of one task.
func newReportTables(r evaluate.Report) table.List {
	switch {
	case !r.Spec.Reward:
		return table.List{newStepsTable(r.Arms, r.Bound, true)}
	case len(r.Arms) > 1:
		return table.List{newReturnTable(r), newReturnComparisonTable(r)}
	}
	return table.List{newReturnTable(r)}
}

// newStepsTable returns a table with one row for the options and one for each baseline, with the differences between
// them or without.
func newStepsTable(arms []evaluate.ArmReport, bound *evaluate.Bound, differences bool) *table.Table {
	g := table.New(table.Left("with"), table.Right("steps early"), table.Left("interval").Optional(1),
		table.Right("steps late"), table.Left("interval").Optional(2), table.Right("area"),
		table.Left("interval").Optional(3), table.Right("reached"))
	if differences {
		g.Columns = append(g.Columns, table.Right("difference"), table.Left("interval"))
	}
	add := func(cells, difference []string) {
		if differences {
			cells = append(cells, difference...)
		}
		g.Add(cells...)
	}
	for _, a := range arms {
		add(slices.Concat([]string{evaluate.ArmText(a.Name)}, withIntervals(1, a.EarlySteps, a.LateSteps),
			withIntervals(4, a.Area), []string{percent(a.Reached)}), withIntervals(4, a.Difference))
	}
	if bound != nil {
		steps := decimal(bound.Steps, 1)
		add([]string{"shortest path", steps, table.None, steps, table.None, decimal(bound.Return, 4), table.None, "100.0 %"},
			[]string{table.None, table.None})
	}
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
		g.Add(slices.Concat([]string{evaluate.ArmText(a.Name)}, withIntervals(4, x.Area),
			sharesWithIntervals(x.WinsEarly.Share, x.WinsLate.Share, x.WinsArea.Share),
			[]string{fmt.Sprintf("%d : %d", x.WinsArea.Better, x.WinsArea.Worse)})...)
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

func newReturnTable(r evaluate.Report) *table.Table {
	g := table.New(table.Left("with"), table.Right("return early"), table.Left("interval").Optional(1),
		table.Right("return late"), table.Left("interval").Optional(2), table.Right("mean return"),
		table.Left("interval").Optional(3), table.Right("length early"), table.Right("length late"),
		table.Right("terminated"))
	digits := returnDigits(r)
	for _, a := range r.Arms {
		g.Add(slices.Concat([]string{evaluate.ArmText(a.Name)}, withIntervals(digits, a.EarlyReturn, a.LateReturn, a.Area),
			[]string{estimated(a.EarlySteps, 1), estimated(a.LateSteps, 1), percent(a.Reached)})...)
	}
	if best := r.Best(); best != nil {
		most := decimal(*best, digits)
		g.Add("best possible", most, table.None, most, table.None, most, table.None, table.None, table.None, table.None)
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
		g.Add(slices.Concat([]string{evaluate.ArmText(a.Name)}, withIntervals(digits, x.Area, x.EarlyReturn, x.LateReturn),
			[]string{share(x.WinsEarly), share(x.WinsLate)}, sharesWithIntervals(x.WinsArea))...)
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

// reportNotes returns notes on what the numbers mean and where they are recorded.
func reportNotes(r evaluate.Report, label string) []string {
	if r.Spec.Reward {
		return append(rewardNotes(r), madeText(r.Recorded, label, r.K, r.Digest))
	}
	notes := []string{
		fmt.Sprintf(
			"Early and late are the first and the last %s; an episode that does not reach the goal counts as %d steps and "+
				"returns 0.",
			cmdline.Plural(r.Window, "episode"), r.Spec.Limit),
		"Area: mean return of all episodes. Numbers are means over seeds, with 95 % intervals (Student's t).",
	}
	notes = append(notes, protocolNotes(r.Spec)...)
	notes = append(notes, empiricalNote(r.Empirical)...)
	if len(r.Arms) > 1 {
		notes = append(notes, "Difference: by how much the area of the options is larger, seed by seed.")
	}
	return append(notes, madeText(r.Recorded, label, r.K, r.Digest))
}

// madeText returns where an evaluation of iteration k of a run is recorded.
func madeText(before bool, label string, k int, digest schema.Digest) string {
	made := fmt.Sprintf("Recorded with iteration %d as evaluation %.12s;", k, digest)
	if before {
		made = fmt.Sprintf("Recorded before as evaluation %.12s: nothing was computed.", digest)
	}
	return fmt.Sprintf("%s podtrack replay %s:%d computes it again.", made, textfmt.ShellQuote(label), k)
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
		if len(s.Runs) == 2 {
			notes = append(notes, "Over two runs such an interval may hold the mean in 88 % of the cases only, by simulation; "+
				"with more runs it comes closer to 95 %.")
		}
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
		return madeText(r.Recorded, r.Label, r.K, r.Digest)
	}
	text := fmt.Sprintf("Recorded with the runs, as one evaluation each; %d of them before.", before)
	return strings.Replace(text, " 0 of them before", " none of them before", 1)
}

// withIntervals returns the cells of estimates, each followed by that of its interval.
func withIntervals(digits int, all ...*stats.Estimate) (cells []string) {
	for _, e := range all {
		interval := table.None
		if e != nil && e.Low != nil && e.High != nil {
			interval = decimal(*e.Low, digits) + " … " + decimal(*e.High, digits)
		}
		cells = append(cells, estimated(e, digits), interval)
	}
	return cells
}

// sharesWithIntervals returns the cells of shares, each followed by that of its interval.
func sharesWithIntervals(all ...*stats.Estimate) (cells []string) {
	for _, e := range all {
		interval := table.None
		if e.Low != nil && e.High != nil {
			interval = fmt.Sprintf("%.0f … %.0f %%", 100**e.Low, 100**e.High)
		}
		cells = append(cells, share(e), interval)
	}
	return cells
}

func share(e *stats.Estimate) string { return fmt.Sprintf("%.0f %%", 100*e.Value) }

func estimated(e *stats.Estimate, digits int) string {
	if e == nil {
		return table.None
	}
	return decimal(e.Value, digits)
}

// decimal formats x with the given number of digits. A value that rounds to 0 has no sign.
func decimal(x float64, digits int) string {
	text := table.Number(&x, digits)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-")
	}
	return text
}

func percent(e *stats.Estimate) string {
	if e == nil {
		return table.None
	}
	return fmt.Sprintf("%.1f %%", 100*e.Value)
}
