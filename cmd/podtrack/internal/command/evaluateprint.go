package command

import (
	"fmt"
	"io"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/internal/textform"
	"github.com/podtrack/podtrack/replay/evaluate"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
)

// evaluationReport is the output of evaluate. A part that was not requested is nil.
type evaluationReport struct {
	label     string
	report    *evaluate.Report
	diffusion []evaluate.Diffusion
}

func (x evaluationReport) document(s *evaluate.Subject) evaluate.Document {
	return evaluate.Document{Run: s.Run.ID, K: s.K, Report: x.report, Diffusion: x.diffusion}
}

func (x evaluationReport) print(w io.Writer, s *evaluate.Subject, format string) error {
	var tables []*table.Table
	if x.report != nil {
		if x.report.Spec.Reward {
			tables = append(tables, newReturnTables(*x.report)...)
		} else {
			tables = append(tables, newArmTable(*x.report))
		}
	}
	if x.diffusion != nil {
		tables = append(tables, newDiffusionTable(x.diffusion))
	}
	if format == table.Formats[0] {
		return x.printText(w, s, tables)
	}
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

// printText prints what was evaluated, then the results, then notes on what the numbers mean.
func (x evaluationReport) printText(w io.Writer, s *evaluate.Subject, tables []*table.Table) error {
	fmt.Fprintf(w, "%s:%d, %s of iteration %d\n", x.label, s.K, cmdline.Plural(len(s.Options), "option"), s.K)
	if x.report != nil {
		table.PrintWrapped(w, "%s", taskText(*x.report, s))
	}
	for _, t := range tables {
		fmt.Fprintln(w)
		if err := t.Print(w, table.Formats[0]); err != nil {
			return err
		}
	}
	var notes []string
	if x.report != nil {
		notes = append(notes, reportNotes(*x.report, x.label)...)
	}
	if x.diffusion != nil {
		notes = append(notes,
			"Diffusion: expected decisions and steps of a uniformly random walk from one state to another, "+
				"exact, mean over all ordered pairs.",
			"Cover: until every state was visited, from the start state; "+
				"mean of 100 simulated walks, none where they would take too long.")
	}
	fmt.Fprintln(w)
	for _, note := range notes {
		table.PrintWrapped(w, "%s", textform.EscapeLine(note))
	}
	return nil
}

func taskText(r evaluate.Report, s *evaluate.Subject) string {
	if r.Spec.Reward {
		return rewardTaskText(r, s)
	}
	start := "a start drawn for each episode"
	if r.Spec.Start != schema.AnyStart {
		start = evaluate.FormatState(s.Env, r.Spec.Start)
	}
	return fmt.Sprintf("from %s to %s by %s", start, evaluate.FormatState(s.Env, r.Spec.Goal), learningText(r.Spec))
}

// learningText returns how a task is learned.
func learningText(spec schema.EvaluationSpec) string {
	text := string(spec.Algorithm) + " Q-learning"
	if spec.Algorithm == schema.Published {
		text = "the published protocol"
	}
	if spec.Interrupt {
		text += ", interrupting options"
	}
	if spec.All {
		text += ", with the options of earlier iterations"
	}
	epsilon := fmt.Sprintf("ε %g", spec.Epsilon)
	if spec.Algorithm != schema.Published {
		epsilon += " falling to 0"
	}
	return fmt.Sprintf("%s: %s, %s of up to %d steps, α %g, %s, γ %g", text,
		cmdline.Plural(len(spec.Seeds), "seed"), cmdline.Plural(spec.Episodes, "episode"), spec.Limit, spec.Alpha,
		epsilon, spec.Gamma)
}

// protocolNotes returns what the numbers of a protocol mean.
func protocolNotes(spec schema.EvaluationSpec) (notes []string) {
	late := cmdline.Plural(spec.LateEpisodes(), "episode")
	switch {
	case spec.Algorithm == schema.Published:
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

// newArmTable returns a table with one row for the options and one for each baseline.
func newArmTable(r evaluate.Report) *table.Table {
	g := table.New(table.Left("with"), table.Right("steps early"), table.Left("interval").Optional(1),
		table.Right("steps late"), table.Left("interval").Optional(2), table.Right("area"),
		table.Left("interval").Optional(3), table.Right("reached"), table.Right("difference"),
		table.Left("interval"))
	for _, a := range r.Arms {
		g.Add(evaluate.ArmText(a.Name), estimated(a.EarlySteps, 1), interval(a.EarlySteps, 1),
			estimated(a.LateSteps, 1), interval(a.LateSteps, 1),
			estimated(a.Area, 4), interval(a.Area, 4), percent(a.Reached),
			estimated(a.Difference, 4), interval(a.Difference, 4))
	}
	if r.Bound != nil {
		steps, area := decimal(r.Bound.Steps, 1), decimal(r.Bound.Return, 4)
		g.Add("shortest path", steps, table.None, steps, table.None, area, table.None, "100.0 %", table.None, table.None)
	}
	return g
}

func newDiffusionTable(all []evaluate.Diffusion) *table.Table {
	g := table.New(table.Right("options"), table.Left("the last"), table.Right("#").CSV("number"),
		table.Right("decisions"), table.Right("steps"),
		table.Right("cover decisions"), table.Left("interval").Optional(1), table.Right("cover steps"),
		table.Left("interval").Optional(2))
	for _, d := range all {
		g.Add(fmt.Sprint(d.Options), d.Last, table.Number(d.Number, 0), table.Number(&d.Decisions, 4),
			table.Number(&d.Steps, 4),
			estimated(d.CoverDecisions, 1), interval(d.CoverDecisions, 1), estimated(d.CoverSteps, 1),
			interval(d.CoverSteps, 1))
	}
	return g
}

// reportNotes returns notes on what the numbers mean and where they are recorded.
func reportNotes(r evaluate.Report, label string) []string {
	if r.Spec.Reward {
		return append(rewardNotes(r), madeText(r, label))
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
	return append(notes, madeText(r, label))
}

// madeText returns where the evaluation is recorded.
func madeText(r evaluate.Report, label string) string {
	made := fmt.Sprintf("Recorded with iteration %d as evaluation %.12s; podtrack replay %s:%d computes it again.", r.K,
		r.Digest, textform.ShellQuote(label), r.K)
	if r.Recorded {
		made = fmt.Sprintf(
			"Recorded before as evaluation %.12s: nothing was computed. podtrack replay %s:%d computes it again.", r.Digest,
			textform.ShellQuote(label), r.K)
	}
	return made
}

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

func interval(e *stats.Estimate, digits int) string {
	if e == nil || e.Low == nil || e.High == nil {
		return table.None
	}
	return decimal(*e.Low, digits) + " … " + decimal(*e.High, digits)
}

func percent(e *stats.Estimate) string {
	if e == nil {
		return table.None
	}
	return fmt.Sprintf("%.1f %%", 100*e.Value)
}
