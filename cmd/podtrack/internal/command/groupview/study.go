package groupview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/command/runview"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/report"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"

	"github.com/urfave/cli/v2"
)

// compareStudy compares the variants of the study that the arguments name.
func (s *Comparing) compareStudy(c *cli.Context) (a cmdline.Answer, err error) {
	if flag := cmdline.FirstSet(c, "measure", "iteration", "paired", "baseline"); flag != "" {
		return a, schema.Hint(fmt.Errorf("--%s does not go with a study: its file decides what is compared", flag),
			"for other comparisons of its runs: podtrack compare 'study=NAME setting=ring' --by variant --measure reach")
	}
	compared, err := group.CompareStudy(c.Context, cmdline.OpenStore(c), c.Args().Slice())
	if err == nil {
		err = setLabels(s.labels, compared.LabelFields())
	}
	switch {
	case err != nil:
		return a, err
	case s.overall && len(compared.Overall) == 0:
		return a, group.NoPart(compared)
	}
	compared.Notes = studyNotes(compared)
	figures := [][]string{{"outcomes", c.Args().First()}, {"outcomes", c.Args().First(), "--profile"}}
	if len(compared.Overall) > 0 {
		figures = append([][]string{{"outcomes", c.Args().First(), "--overall"}}, figures...)
	}
	return cmdline.Answer{
		JSON:  compared,
		Text:  func(w table.Text) { printStudy(w, compared, s.overall) },
		Title: compared.Title, Figures: figures, More: [][]string{{"ls", report.FormatTerm("study", compared.Study)}},
		Tables: func() table.List {
			format, _ := table.ParseFormat(c)
			numbers := studyGrid(compared, format == "latex")
			switch isCSV := table.WantsCSV(c); {
			case isCSV && s.overall:
				numbers = overallCSV(compared)
			case s.overall:
				numbers = overallGrid(compared)
			case isCSV:
				numbers = studyCSV(compared)
			}
			return besideFields(c, variantFields(compared), numbers, compared.Notes)
		},
	}, nil
}

// printStudy prints the document of a study: the question, what ran, the verdicts, in what variants differ, the
// numbers, the settings, the runs with their heads, and what proves them; or the comparison over settings alone.
func printStudy(w table.Text, s *group.StudyComparison, overall bool) {
	w.Wrapped("Study %s", strings.TrimSuffix(s.Study+": "+s.Title, ": "))
	w.Notes(s.Notes)
	var sections []studySection
	if len(s.Overall) > 0 {
		sections = append(sections, overallSection(s))
	}
	if !overall {
		sections = append(sections, settingsSection(s))
	}
	startSection(w, "Verdict")
	for _, part := range sections {
		w.Notes(part.verdicts)
	}
	if fields := variantFields(s); len(fields.Rows) > 0 {
		startSection(w, "Variants")
		w.Table(fields)
	}
	for _, part := range sections {
		startSection(w, part.title)
		w.Table(part.table)
		w.Blank()
		w.Prose("%s", part.note)
	}
	if !overall {
		startSection(w, "Settings")
		w.Table(settingFields(s))
		w.Blank()
		w.Prose("Every spec has %s.", strings.Join(s.Spec, " "))
		printRuns(w, s)
	}
}

// startSection begins a section of a document; elsewhere sections are separated by an empty line.
func startSection(w table.Text, title string) {
	if p, ok := w.Writer.(interface{ StartSection(string) }); ok {
		p.StartSection(title)
	} else {
		w.Blank()
	}
}

// printRuns prints the runs with their heads, but not on a terminal, and the commands that prove them.
func printRuns(w table.Text, s *group.StudyComparison) {
	startSection(w, "Runs")
	runs := slices.Clone(s.Runs)
	for i, r := range runs {
		runs[i].Columns = map[string]any{"setting": r.Places[0].Setting.Text(), "variant": r.Places[0].Variant.Text()}
	}
	slices.SortFunc(runs, func(a, b report.Run) int {
		x, y := a.Places[0].Cell, b.Places[0].Cell
		return cmp.Or(x.Setting-y.Setting, x.Variant-y.Variant, cmp.Compare(a.Seed, b.Seed))
	})
	all := runview.NewListing([]string{"setting", "variant", "seed", "run", "status", "iterations", "head"}, runs, false)
	if p, ok := w.Writer.(interface{ Fold(string, func()) }); ok {
		p.Fold(textfmt.CountOf(len(runs), "run"), func() { w.Table(all) })
	} else if w.Width() == 0 {
		w.Table(all)
		w.Blank()
	}
	of := textfmt.ShellQuote(report.FormatTerm("study", s.Study))
	w.Prose("podtrack replay %s executes all runs again and compares each record; podtrack check %s verifies the chains "+
		"from their specs to their heads; podtrack ls %s --columns setting,variant,seed,head lists them.", of, of, of)
}

// settingFields returns the table of the settings: what decides in each, and the fields in which they differ.
func settingFields(s *group.StudyComparison) *table.Table {
	var names []string
	outcomes, seen := group.FieldValues{Field: "outcome"}, map[string]int{}
	for i := range s.Settings {
		in := &s.Settings[i]
		at, second := seen[in.Name]
		if !second {
			at, seen[in.Name] = len(names), len(names)
			names, outcomes.Values = append(names, in.Text()), append(outcomes.Values, nil)
		}
		outcomes.Values[at] = append(outcomes.Values[at], outcomeText(s, in))
	}
	return fieldsGrid("setting", names, append([]group.FieldValues{outcomes}, s.SettingFields...))
}

// variantFields returns the table of the fields in which variants differ within a setting.
func variantFields(s *group.StudyComparison) *table.Table {
	var names []string
	for _, v := range s.Settings[0].Variants {
		name := v.Text()
		if !s.AllPairs && slices.Contains(s.Baselines, v.Name) {
			name += " (baseline)"
		}
		names = append(names, name)
	}
	return fieldsGrid("variant", names, s.Fields)
}

// studyNotes returns lines that say how many runs of a study are complete, which were left out, and what else the
// numbers do not say.
func studyNotes(s *group.StudyComparison) []string {
	known := fmt.Sprintf("%d of %s complete, seeds ", s.Complete, textfmt.CountOf(s.Planned, "run"))
	if s.Complete < s.Planned {
		known = fmt.Sprintf("Preliminary: %d of %s are complete", s.Complete, textfmt.CountOf(s.Planned, "run"))
		if n := len(s.Lacks); n > 0 {
			known += fmt.Sprintf(", %d more begun", n)
		}
		known += ". Seeds "
	}
	known += fmt.Sprintf("%s, %s each", s.Seeds, textfmt.CountOf(s.Iterations, "iteration"))
	if s.Registered {
		known += fmt.Sprintf("; registered with digest %.12s", s.Digest)
	}
	lines := []string{known}
	if s.Filter != "" {
		lines = append(lines, fmt.Sprintf("%s leaves out %d of the complete runs.", s.Filter, s.LeftOut))
	}
	if len(s.NotShown) > 0 {
		lines = append(lines, fmt.Sprintf("Not shown: %s.", strings.Join(s.NotShown, "; ")))
	}
	var measures []string
	for _, in := range s.Settings {
		measures = append(measures, in.Measure)
		for _, v := range in.Variants {
			if lacks := len(v.Outcomes) - v.N; lacks > 0 {
				lines = append(lines, fmt.Sprintf("%s, %s: %d of %s without a value of %s, left out of the numbers.", in.Text(),
					v.Text(), lacks, textfmt.CountOf(len(v.Outcomes), "run"), in.Measure))
			}
		}
	}
	return slices.Concat(lines, lackNotes("", s.Lacks), censoredNotes(measures))
}

// A studySection is the comparison over the settings of each part of a study, or in each setting.
type studySection struct {
	title    string
	verdicts []string
	table    *table.Table
	note     string // what the columns of the table mean
}

// settingsSection returns the comparisons in each setting.
func settingsSection(s *group.StudyComparison) studySection {
	var verdicts []string
	for i := range s.Settings {
		verdicts = append(verdicts, studyVerdicts(s, &s.Settings[i])...)
	}
	adjusted := "not adjusted"
	if s.Correction == runset.Holm {
		adjusted = fmt.Sprintf("adjusted for the study's %s (Holm), whose intervals hold together at %g %% "+
			"(Bonferroni)", textfmt.CountOf(s.Comparisons, "comparison"), 100*s.Level)
	}
	note := fmt.Sprintf("mean with its interval of Student's t; IQM: mean of the middle half of the runs, with its "+
		"interval of the percentile bootstrap; difference from the baseline, over the runs with the same seed if two "+
		"seeds are shared; P(more): a run has more than one of the baseline, a tie counting one half; p: of the t-test, "+
		"rank p: of Wilcoxon's rank test, %s. Better, worse: p is at most %.2g, and the interval excludes 0.", adjusted,
		stats.Significance)
	return studySection{"In each setting", verdicts, studyGrid(s, false), note}
}

// outcomeText returns what is compared in a setting, such as "distance of the last iteration".
func outcomeText(s *group.StudyComparison, in *group.SettingComparison) string {
	title, _ := report.MeasureTitle(in.Measure)
	if in.Over == runset.OverMean && s.Iterations > 2 {
		return fmt.Sprintf("%s, mean over iterations 1 to %d", title, s.Iterations-1)
	}
	return fmt.Sprintf("%s in iteration %d", title, s.Iterations-1)
}

// studyVerdicts returns a line for each baseline of a setting: which variants are better and worse.
func studyVerdicts(s *group.StudyComparison, in *group.SettingComparison) []string {
	baselines := s.Baselines
	if s.AllPairs {
		baselines = baselinesOf(in)
	}
	return verdictLines(in, baselines, outcomeText(s, in),
		func(v group.VariantOutcome, a group.VariantContrast) (word, text string) {
			switch {
			case a.Ceiling != "":
				return a.Ceiling, inList(v.Text())
			case a.Verdict == stats.Untested:
				return fmt.Sprintf("%s (%s)", stats.Untested, in.WhyUntested(v, a)), inList(v.Text())
			}
			return in.Judge(a.Verdict), contrastText(in, v, a)
		})
}

// baselinesOf returns the baselines with which variants are compared, in the order in which they are.
func baselinesOf(in *group.SettingComparison) (baselines []string) {
	for _, v := range in.Variants {
		for _, a := range v.Against {
			if !slices.Contains(baselines, a.Baseline) {
				baselines = append(baselines, a.Baseline)
			}
		}
	}
	return baselines
}

// verdictLines returns a line for each baseline of a setting or a part, about which it says something: how variants are
// judged beside it, by the word and the text that say returns.
func verdictLines(in *group.SettingComparison, baselines []string, about string,
	say func(group.VariantOutcome, group.VariantContrast) (word, text string)) (lines []string) {
	for _, baseline := range baselines {
		var by judgements
		for _, v := range in.Variants {
			for _, a := range v.Against {
				if a.Baseline == baseline {
					word, text := say(v, a)
					by.add(word+": ", text)
				}
			}
		}
		if text := by.text(group.Better+": ", group.Worse+": ", string(stats.Unsettled)+": "); text != "" {
			lines = append(lines, fmt.Sprintf("%s (%s), compared with %s: %s.", in.Text(), about,
				inList(labelOf(in, baseline)), text))
		}
	}
	return lines
}

// contrastText names a variant, with its difference from the baseline if that is settled.
func contrastText(in *group.SettingComparison, v group.VariantOutcome, a group.VariantContrast) string {
	if !a.Verdict.IsSettled() {
		return inList(v.Text())
	}
	digits := report.MeasureDigits(in.Measure)
	sign := ""
	if a.Difference.Value > 0 {
		sign = "+"
	}
	return fmt.Sprintf("%s (%s%s %s, p %s)", inList(v.Text()), sign, table.Number(&a.Difference.Value, digits),
		interval(a.Difference.Low, a.Difference.High, digits), table.PValue(a.Adjusted, 3))
}

// inList returns a label as it stands in a list: in quotation marks if it has what separates others.
func inList(label string) string {
	if strings.ContainsAny(label, ",;") {
		return `"` + label + `"`
	}
	return label
}

// studyRow is a row of a table of a study: a variant in a setting, beside a baseline if there is one.
type studyRow struct {
	In           *group.SettingComparison
	Study        string `json:"study"`
	Setting      string `json:"setting"`
	SettingLabel string `json:"setting_label"`
	Outcome      string `json:"outcome"`
	Over         string `json:"over"`
	*group.VariantOutcome
	Variant string `json:"variant"`
	Label   string `json:"label"`
	group.VariantContrast
	Level float64 `json:"difference_level"`
}

// Digits returns how many digits after the point the outcome has.
func (r studyRow) Digits() int { return report.MeasureDigits(r.Outcome) }

func studyRows(s *group.StudyComparison) (rows []studyRow) {
	for i := range s.Settings {
		in := &s.Settings[i]
		for _, v := range in.Variants {
			against := v.Against
			if len(against) == 0 {
				against = make([]group.VariantContrast, 1)
			}
			for _, a := range against {
				rows = append(rows, studyRow{in, s.Study, in.Name, in.Text(), in.Measure, in.Over, &v, v.Name, v.Text(), a,
					s.EachLevel})
			}
		}
	}
	return rows
}

// Columns of a study's tables: the variant, and the interval of its interquartile mean.
var (
	variantColumn = table.Left("label").As("variant").Once("VariantOutcome")
	iqmInterval   = table.FormatDigits(table.Left("VariantOutcome").As("interval").Once("VariantOutcome"),
		func(v group.VariantOutcome, digits int) string { return interval(v.IQMLow, v.IQMHigh, digits) })
)

// studyGrid returns a table with a row for each setting, variant and baseline. A table with a caption leaves it to the
// caption to name the only baseline.
func studyGrid(s *group.StudyComparison, hasCaption bool) *table.Table {
	difference, ofMean := "difference", intervalTitle(s.Level)
	columns := []table.Column{table.Left("setting_label").As("setting").Once("In"), variantColumn,
		table.Right("n").Once("VariantOutcome").Optional(3),
		table.FormatDigits(table.Right("Summary").As("mean").Once("VariantOutcome"), meanText),
		table.FormatDigits(table.Left("Summary").As(ofMean).Once("VariantOutcome"), meanInterval),
		table.Right("iqm").As("IQM").Once("VariantOutcome").Optional(5),
		iqmInterval.As("IQM " + ofMean).Optional(2)}
	if len(s.Baselines) > 1 || s.AllPairs {
		columns = append(columns, table.Value(table.Left("baseline"),
			func(r *studyRow) any { return labelOf(r.In, r.Baseline) }))
	} else if !hasCaption {
		difference += " from " + labelOf(&s.Settings[0], s.Baselines[0])
	}
	g := table.Of(studyRows(s), append(columns,
		table.Right("difference.value").As(difference),
		intervalColumn("difference", s.EachLevel),
		improvementColumn.Optional(4),
		table.Right("p_adjusted").As("p").PValue(3),
		table.Right("rank_p_adjusted").As("rank p").PValue(3).Optional(1))...)
	g.Caption = studyCaption(s)
	return g
}

// studyCaption returns what a paper says below the table of a study.
func studyCaption(s *group.StudyComparison) string {
	var outcomes []string
	settings := map[string][]string{} // by outcome
	for i := range s.Settings {
		outcome := outcomeText(s, &s.Settings[i])
		if settings[outcome] == nil {
			outcomes = append(outcomes, outcome)
		}
		settings[outcome] = append(settings[outcome], s.Settings[i].Text())
	}
	for i, outcome := range outcomes {
		outcomes[i] = fmt.Sprintf("%s (%s)", outcome, strings.Join(settings[outcome], "; "))
	}
	p := "p of the t-test"
	if len(s.Baselines) == 1 && !s.AllPairs {
		p = fmt.Sprintf("difference from %s; %s", labelOf(&s.Settings[0], s.Baselines[0]), p)
	}
	if s.Correction == runset.Holm {
		p += fmt.Sprintf(", adjusted for %s (Holm)", textfmt.CountOf(s.Comparisons, "comparison"))
	}
	return strings.TrimSpace(fmt.Sprintf("%s Outcomes: %s. Seeds %s; mean with its interval of Student's t, "+
		"interquartile mean (IQM) with that of the percentile bootstrap; %s.", s.Title, strings.Join(outcomes, ", "),
		s.Seeds, p))
}

// labelOf returns a variant's label, or its name if it has none.
func labelOf(in *group.SettingComparison, name string) string {
	for _, v := range in.Variants {
		if v.Name == name {
			return v.Text()
		}
	}
	return table.None
}

// studyCSV returns a table with a row for each setting, variant and baseline, with all digits.
func studyCSV(s *group.StudyComparison) *table.Table {
	return table.Of(studyRows(s), table.Exact(slices.Concat([]string{"study", "setting", "variant", "outcome", "over"},
		summaryColumns, intervalColumns, censoredColumns, []string{"baseline", "pairs"}, effectColumns,
		[]string{"p_adjusted", "verdict", "difference_level", "iqm_interval_low", "iqm_interval_high", "rank_p_value",
			"rank_p_adjusted", "label", "setting_label"})...)...)
}
