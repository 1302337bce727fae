package groupview

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/cmd/podtrack/internal/cmdline"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/group"
	"github.com/podtrack/podtrack/cmd/podtrack/internal/table"
	"github.com/podtrack/podtrack/schema/runset"
)

// overallSection returns how the variants compare over the settings of each part of a study.
func overallSection(s *group.StudyComparison) StudySection {
	var verdicts []string
	for i, in := range s.OverParts().Settings {
		about := "over " + cmdline.Plural(len(s.Overall[i].Settings), "setting")
		verdicts = append(verdicts, verdictLines(&in, baselinesOf(&in), about,
			func(v group.VariantOutcome, a group.VariantContrast) (word, text string) {
				return in.Judge(a.Verdict), inList(v.Text())
			})...)
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

// overallGrid returns a table with a row for each part, variant and baseline.
func overallGrid(s *group.StudyComparison) *table.Table {
	parts := s.OverParts()
	g := table.New(table.Left("part"), table.Left("variant"), table.Right("score"), table.Left(intervalTitle(s.Level)),
		table.Left("baseline"), table.Right("P(better)"), table.Left(intervalTitle(parts.EachLevel)),
		table.Right("p"), table.Left("verdict").Optional(1))
	for _, in := range parts.Settings {
		part := in.Name
		for _, v := range in.Variants {
			variant := []string{v.Text(), table.Number(v.IQM, 2), interval(v.IQMLow, v.IQMHigh, 2)}
			for _, a := range orNone(v.Against) {
				cells := append(append([]string{part}, variant...), labelOf(&s.Settings[0], a.Baseline))
				cells = append(cells, improvementCells(a.Improvement)...)
				word := cmp.Or(in.Judge(a.Verdict), table.None)
				g.Add(append(cells, table.PValue(a.Adjusted, 3), word)...)
				part, variant = "", make([]string, len(variant)) // printed once
			}
		}
	}
	return g
}

// orNone returns the contrasts of a variant, or an empty one if it has none.
func orNone[T any](contrasts []T) []T {
	if len(contrasts) == 0 {
		return make([]T, 1)
	}
	return contrasts
}

// overallCSV returns a table with a row for each part, variant and baseline, with all digits.
func overallCSV(s *group.StudyComparison) *table.Table {
	g := newExact(slices.Concat([]string{"study", "part", "settings", "variant", "score", "score_interval_low",
		"score_interval_high", "baseline"}, effectColumns[3:], []string{"p_adjusted", "verdict", "improvement_level",
		"label"})...)
	for _, over := range s.Overall {
		for _, v := range over.Variants {
			for _, a := range orNone(v.Against) {
				addExact(g, v, a, fields{"study": s.Study, "part": over.Part, "settings": len(over.Settings),
					"variant": v.Name, "improvement_level": over.EachLevel, "label": v.Text()})
			}
		}
	}
	return g
}
