package group

import (
	"slices"

	"github.com/podtrack/podtrack/replay/stats"
)

// What a settled verdict says in a setting, by whether more or less is better there.
const (
	Better = "better"
	Worse  = "worse"
)

// Judge returns [Better] or [Worse] if the verdict is settled, otherwise the verdict itself.
func (s *SettingComparison) Judge(v stats.Verdict) string {
	switch {
	case !v.IsSettled():
		return string(v)
	case (v == stats.More) != s.Lower:
		return Better
	}
	return Worse
}

// JudgeBeside returns how a variant is judged beside another one, "" if the two were not compared.
func (s *SettingComparison) JudgeBeside(variant, other string) string {
	if verdict, has := s.verdictOn(variant, other); has {
		return s.Judge(verdict)
	}
	switch verdict, has := s.verdictOn(other, variant); {
	case !has:
		return ""
	case verdict == stats.More:
		return s.Judge(stats.Less)
	case verdict == stats.Less:
		return s.Judge(stats.More)
	default:
		return s.Judge(verdict)
	}
}

// verdictOn returns the verdict on a variant against a baseline, if there is one.
func (s *SettingComparison) verdictOn(variant, baseline string) (v stats.Verdict, has bool) {
	of := s.variant(variant)
	if of == nil {
		return "", false
	}
	at := slices.IndexFunc(of.Against, func(c VariantContrast) bool { return c.Baseline == baseline })
	if at < 0 {
		return "", false
	}
	return of.Against[at].Verdict, true
}

// Why a comparison has no p-value.
const (
	noRun    = "no run yet"
	noValue  = "no run has a value"
	oneValue = "one seed"
	noChange = "all differences are 0"
	noSpread = "all differences are equal"
)

// WhysUntested lists why comparisons have no p-value.
func WhysUntested() []string { return []string{noRun, noValue, oneValue, noChange, noSpread} }

// WhyUntested returns one of [WhysUntested] for a variant beside a baseline.
func (s *SettingComparison) WhyUntested(v VariantOutcome, a VariantContrast) string {
	baseline := s.variant(a.Baseline)
	switch n := min(v.N, baseline.N); {
	case min(len(v.Outcomes), len(baseline.Outcomes)) == 0:
		return noRun
	case n == 0:
		return noValue
	case n == 1:
		return oneValue
	case a.Difference == nil || a.Difference.Value == 0:
		return noChange
	}
	return noSpread
}
