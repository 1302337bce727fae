package groupview

import (
	"fmt"
	"strings"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// overallSection returns how the variants compare over the settings of each part of a study.
func overallSection(s *group.StudyComparison) StudySection {
	var verdicts []string
	for _, over := range s.Overall {
		verdicts = append(verdicts, overallVerdicts(s, over)...)
	}
	adjusted := "not adjusted"
	if s.Correction == runset.Holm {
		adjusted = fmt.Sprintf("adjusted for %s (Holm)", cmdline.Plural(s.Overall[0].Comparisons, "such comparison"))
	}
	note := fmt.Sprintf("score: mean of the middle half of all runs of all settings, of the outcome divided by the mean "+
		"of %s in the setting, with its interval of the stratified bootstrap; P(better): a run has a better outcome than "+
		"one of the baseline, a tie counting one half, in the mean over settings; p: of the rank-sum test over settings "+
		"(van Elteren), %s.", s.Unit.Text(), adjusted)
	return StudySection{"Over settings", verdicts, overallGrid(s), note}
}

// overallWord returns what the verdict of a comparison over settings says.
func overallWord(v stats.Verdict) string {
	switch v {
	case stats.More:
		return group.Better
	case stats.Less:
		return group.Worse
	}
	return string(v)
}

// overallVerdicts returns a line for each baseline: which variants are better and worse over the settings of a part.
func overallVerdicts(s *group.StudyComparison, over group.PartComparison) (lines []string) {
	var baselines []string
	of := map[string]map[string][]string{} // by baseline and word
	for _, v := range over.Variants {
		for _, a := range v.Against {
			if of[a.Baseline] == nil {
				baselines, of[a.Baseline] = append(baselines, a.Baseline), map[string][]string{}
			}
			word := overallWord(a.Verdict)
			of[a.Baseline][word] = append(of[a.Baseline][word], inList(v.Text()))
		}
	}
	for _, baseline := range baselines {
		var parts []string
		for _, word := range []string{group.Better, group.Worse, string(stats.Unsettled), string(stats.Untested)} {
			if names := of[baseline][word]; len(names) > 0 {
				parts = append(parts, word+": "+strings.Join(names, ", "))
			}
		}
		lines = append(lines, fmt.Sprintf("%s (over %s), compared with %s: %s.", over.Part,
			cmdline.Plural(len(over.Settings), "setting"), inList(labelOf(&s.Settings[0], baseline)),
			strings.Join(parts, "; ")))
	}
	return lines
}

// overallGrid returns a table with a row for each part, variant and baseline.
func overallGrid(s *group.StudyComparison) *table.Table {
	g := table.New(table.Left("part"), table.Left("variant"), table.Right("score"), table.Left(intervalTitle(s.Level)),
		table.Left("baseline"), table.Right("P(better)"), table.Left(intervalTitle(s.Overall[0].EachLevel)),
		table.Right("p"), table.Left("verdict").Optional(1))
	for _, over := range s.Overall {
		part := over.Part
		for _, v := range over.Variants {
			variant := append([]string{v.Text()}, estimateCells(v.Score, 2)...)
			for _, a := range contrastsOrNone(v) {
				word := overallWord(a.Verdict)
				if a.Baseline == "" {
					a.Baseline, word = table.None, table.None
				} else {
					a.Baseline = labelOf(&s.Settings[0], a.Baseline)
				}
				cells := append(append([]string{part}, variant...), a.Baseline)
				cells = append(cells, improvementCells(a.Improvement)...)
				g.Add(append(cells, table.PValue(a.Adjusted, 3), word)...)
				part, variant = "", make([]string, len(variant)) // printed once
			}
		}
	}
	return g
}

// contrastsOrNone returns the contrasts of a variant, or an empty one if it has none.
func contrastsOrNone(v group.OverallOutcome) []group.OverallContrast {
	if len(v.Against) == 0 {
		return []group.OverallContrast{{}}
	}
	return v.Against
}

// overallCSV returns a table with a row for each part, variant and baseline, with all digits.
func overallCSV(s *group.StudyComparison) *table.Table {
	g := table.New(table.Left("study"), table.Left("part"), table.Right("settings"), table.Left("variant"))
	for _, name := range []string{"score", "score_interval_low", "score_interval_high", "baseline", "improvement",
		"improvement_interval_low", "improvement_interval_high", "p_value", "p_adjusted", "verdict", "improvement_level",
		"label"} {
		g.Columns = append(g.Columns, table.Right(name))
	}
	for _, over := range s.Overall {
		for _, v := range over.Variants {
			for _, a := range contrastsOrNone(v) {
				cells := append([]string{s.Study, over.Part, fmt.Sprint(len(over.Settings)), v.Name}, exactEstimate(v.Score)...)
				cells = append(append(cells, a.Baseline), exactEstimate(a.Improvement)...)
				g.Add(append(cells, textfmt.FormatExact(a.PValue), textfmt.FormatExact(a.Adjusted), string(a.Verdict),
					textfmt.FormatExact(&over.EachLevel), v.Text())...)
			}
		}
	}
	return g
}
