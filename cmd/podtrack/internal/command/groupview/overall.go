package groupview

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// overallSection returns how the variants compare over the settings of each part of a study.
func overallSection(s *group.StudyComparison) studySection {
	var verdicts []string
	for i, in := range s.OverParts().Settings {
		about := "over " + textfmt.CountOf(len(s.Overall[i].Settings), "setting")
		verdicts = append(verdicts, verdictLines(&in, baselinesOf(&in), about,
			func(v group.VariantOutcome, a group.VariantContrast) (word, text string) {
				return in.Judge(a.Verdict), inList(v.Text())
			})...)
	}
	adjusted := "not adjusted"
	if s.Correction == runset.Holm {
		adjusted = fmt.Sprintf("adjusted for %s (Holm)", textfmt.CountOf(s.Overall[0].Comparisons, "such comparison"))
	}
	note := fmt.Sprintf("score: mean of the middle half of all runs of all settings, of the outcome divided by the mean "+
		"of %s in the setting, with its interval of the stratified bootstrap; P(better): a run has a better outcome than "+
		"one of the baseline, a tie counting one half, in the mean over settings; p: of the rank-sum test over settings "+
		"(van Elteren), %s.", s.Unit.Text(), adjusted)
	return studySection{"Over settings", verdicts, overallGrid(s), note}
}

// overallGrid returns a table with a row for each part, variant and baseline.
func overallGrid(s *group.StudyComparison) *table.Table {
	parts := s.OverParts()
	return table.Of(studyRows(parts),
		table.Left("setting").As("part").Once("In"),
		variantColumn,
		table.Right("iqm").As("score").Once("VariantOutcome").Digits(2),
		iqmInterval.As(intervalTitle(s.Level)).Digits(2),
		table.Value(table.Left("baseline"), func(r *studyRow) any { return labelOf(&s.Settings[0], r.Baseline) }),
		improvementColumn.As("P(better)"),
		intervalColumn("improvement", parts.EachLevel).Digits(2),
		table.Right("p_adjusted").As("p").PValue(3),
		table.Value(table.Left("verdict").Optional(1),
			func(r *studyRow) any { return cmp.Or(r.In.Judge(r.Verdict), table.None) }))
}

// overallCSV returns a table with a row for each part, variant and baseline, with all digits.
func overallCSV(s *group.StudyComparison) *table.Table {
	columns := table.Exact(slices.Concat([]string{"study", "setting", "n", "variant", "iqm", "iqm_interval_low",
		"iqm_interval_high", "baseline"}, effectColumns[3:],
		[]string{"p_adjusted", "verdict", "difference_level", "label"})...)
	for i, title := range map[int]string{1: "part", 2: "settings", 4: "score", 5: "score_interval_low",
		6: "score_interval_high", 14: "improvement_level"} {
		columns[i] = columns[i].As(title)
	}
	return table.Of(studyRows(s.OverParts()), columns...)
}
