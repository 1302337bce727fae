package group

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/runset"
	"github.com/podtrack/podtrack/schema/textfmt"
)

// A PartComparison compares the variants over the settings of a part, whose outcomes may differ in kind.
type PartComparison struct {
	Part        string           `json:"part"`
	Settings    []string         `json:"settings"`
	Comparisons int              `json:"comparisons"` // over which p-values are adjusted: of all parts
	EachLevel   float64          `json:"each_level"`  // of each interval of an improvement
	Variants    []OverallOutcome `json:"variants"`
}

// An OverallOutcome is what a variant came to over all settings of a part.
type OverallOutcome struct {
	runset.Variant

	// Score is the interquartile mean over all runs and settings of the outcome divided by the mean of
	// [StudyComparison.Unit] in the setting, with its interval of the stratified bootstrap. It is nil where a lower
	// outcome is better, and where that mean is not positive.
	Score   *stats.Estimate   `json:"score"`
	Against []OverallContrast `json:"against"`
}

// An OverallContrast compares a variant with a baseline.
type OverallContrast struct {
	Baseline    string          `json:"baseline"`
	Improvement *stats.Estimate `json:"improvement"` // the mean over settings of P(better) + ½P(equal)
	PValue      *float64        `json:"p_value"`     // of the rank-sum test over settings
	Adjusted    *float64        `json:"p_adjusted"`
	Verdict     stats.Verdict   `json:"verdict"` // more: better
}

// compareParts compares the variants over the settings of each part of a study, with p-values and intervals adjusted
// for the number of those comparisons.
func (c *StudyComparison) compareParts(ctx context.Context, of *runset.Study) error {
	parts := of.Parts()
	n := len(parts) * countContrasts(of)
	var p []*float64
	for _, part := range parts {
		over, settings := PartComparison{Part: part, Comparisons: n, EachLevel: c.levelOf(n)}, c.settingsOf(part)
		over.Settings = textfmt.Map(settings, func(in SettingComparison) string { return in.Name })
		for i, v := range of.Variants {
			score, err := c.score(ctx, settings, i)
			if err != nil {
				return err
			}
			o := OverallOutcome{Variant: v, Score: score, Against: []OverallContrast{}}
			for _, a := range contrastsOf(of, i) {
				x := OverallContrast{Baseline: a.Baseline}
				x.Improvement, x.PValue = stats.ImprovementOver(samplesOf(settings, a.Baseline, i), over.EachLevel)
				o.Against, p = append(o.Against, x), append(p, x.PValue)
			}
			over.Variants = append(over.Variants, o)
		}
		c.Overall = append(c.Overall, over)
	}
	p = c.adjust(p)
	for _, over := range c.Overall {
		for _, v := range over.Variants {
			for k := range v.Against {
				a := &v.Against[k]
				a.Adjusted, a.Verdict, p = p[0], stats.Settle(p[0], beyondEven(a.Improvement)), p[1:]
			}
		}
	}
	return nil
}

// beyondEven returns how far a probability lies above one half.
func beyondEven(p *stats.Estimate) *stats.Estimate {
	if p == nil || p.Low == nil || p.High == nil {
		return nil
	}
	return &stats.Estimate{Value: p.Value - 0.5, Low: new(*p.Low - 0.5), High: new(*p.High - 0.5)}
}

// settingsOf returns the settings of a part, by their first outcome.
func (c *StudyComparison) settingsOf(part string) []SettingComparison {
	return slices.DeleteFunc(slices.Clone(c.Settings), func(in SettingComparison) bool { return in.Part != part })
}

// samplesOf returns the values of a baseline and of the i-th variant in each of some settings, exchanged where a lower
// outcome is better.
func samplesOf(settings []SettingComparison, baseline string, i int) (samples []stats.Samples) {
	for _, in := range settings {
		s := stats.Samples{A: ValuesOf(in.variant(baseline).Outcomes), B: ValuesOf(in.Variants[i].Outcomes)}
		if in.Lower {
			s = stats.Samples{A: s.B, B: s.A}
		}
		samples = append(samples, s)
	}
	return samples
}

// score returns the score of the i-th variant over settings.
func (c *StudyComparison) score(ctx context.Context, settings []SettingComparison, i int) (*stats.Estimate, error) {
	var strata [][]float64
	for _, in := range settings {
		mean := in.variant(c.Unit.Name).Mean
		values := ValuesOf(in.Variants[i].Outcomes)
		if in.Lower || mean == nil || *mean <= 0 || len(values) == 0 {
			return nil, nil
		}
		for n := range values {
			values[n] /= *mean
		}
		strata = append(strata, values)
	}
	return stats.IQM(ctx, strata...)
}

// NoPart returns the error of a study of which no part is compared as a whole.
func NoPart(c *StudyComparison) error {
	return schema.Hint(fmt.Errorf("no part of study %s is compared as a whole", c.Study),
		`give settings part = "held out" in its file; all settings of a part must have runs, and be shown`)
}

// OverParts returns a comparison with the parts of the study as its settings, and scores as outcomes, for figures.
func (c *StudyComparison) OverParts() *StudyComparison {
	parts := *c
	parts.Settings = nil
	for _, over := range c.Overall {
		parts.Comparisons, parts.EachLevel = over.Comparisons, over.EachLevel
		in := SettingComparison{Setting: runset.Setting{Name: over.Part, Outcome: runset.Outcome{Measure: "score"}}}
		for i, v := range over.Variants {
			o := VariantOutcome{Variant: v.Variant, Place: i, Summary: stats.Summary{N: len(over.Settings)}}
			if v.Score != nil {
				o.IQM, o.IQMLow, o.IQMHigh = &v.Score.Value, v.Score.Low, v.Score.High
				o.Mean = o.IQM
			}
			for _, a := range v.Against {
				o.Against = append(o.Against, VariantContrast{Baseline: a.Baseline, Verdict: a.Verdict,
					Effect: stats.Effect{Improvement: a.Improvement, PValue: a.PValue}, Adjusted: a.Adjusted})
			}
			in.Variants = append(in.Variants, o)
		}
		parts.Settings = append(parts.Settings, in)
	}
	return &parts
}
