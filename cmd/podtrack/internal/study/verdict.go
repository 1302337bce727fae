package study

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
	against := s.variant(variant).Against
	at := slices.IndexFunc(against, func(c Contrast) bool { return c.Baseline == baseline })
	if at < 0 {
		return "", false
	}
	return against[at].Verdict, true
}
