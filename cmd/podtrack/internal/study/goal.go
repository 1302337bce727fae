package study

import "github.com/podtrack/podtrack/replay/stats"

// A Goal says whether the candidate reached the study's goal: at least twice the mean distance of the first reference
// in each setting whose outcome is distance, and significantly more states than the second one in each other setting.
type Goal struct {
	Candidate string        `json:"candidate"`
	Settings  []GoalSetting `json:"settings"`
	Reached   bool          `json:"reached"`
}

// A GoalSetting compares the candidate with the goal in a setting.
type GoalSetting struct {
	Setting string          `json:"setting"`
	Outcome string          `json:"outcome"`
	Ratio   *stats.Estimate `json:"ratio,omitempty"`      // to the first reference, of distance
	Gain    *stats.Estimate `json:"difference,omitempty"` // from the second one, of states
	Reached bool            `json:"reached"`
}

// wanted is the ratio of distances that the goal asks for.
const wanted = 2

// judge returns whether the candidate reached the goal.
func (s Study) judge(r *Result) *Goal {
	g := &Goal{Candidate: s.Candidate, Reached: true}
	i := s.variant(s.Candidate)
	for _, setting := range s.Settings {
		measured := r.setting(setting.Name)
		if measured == nil {
			return nil
		}
		v := measured.Variants[i]
		in := GoalSetting{Setting: setting.Name, Outcome: setting.Outcome}
		if setting.Outcome == Distance {
			in.Ratio = v.Ratio
			in.Reached = v.Ratio != nil && v.Ratio.Value >= wanted
		} else {
			for _, a := range v.Against {
				if a.Reference == s.Reference[1] {
					in.Gain, in.Reached = a.Difference, a.Verdict == stats.More
				}
			}
		}
		g.Settings = append(g.Settings, in)
		g.Reached = g.Reached && in.Reached
	}
	return g
}

func (r *Result) setting(name string) *SettingResult {
	for i := range r.Settings {
		if r.Settings[i].Name == name {
			return &r.Settings[i]
		}
	}
	return nil
}
