package evaluate

import (
	"context"

	"github.com/podtrack/podtrack/replay/stats"
)

// SampledCurves holds learning curves at a limited number of episodes.
type SampledCurves struct {
	Window   int          `json:"window"`   // a point is the mean of that many episodes, up to its own
	Episodes []int        `json:"episodes"` // from 1
	Arms     []SampledArm `json:"arms"`
}

// SampledArm holds means over seeds with their 95 % intervals of Student's t, by episode.
type SampledArm struct {
	Name   string            `json:"name"`
	Return []*stats.Estimate `json:"return"` // discounted, of a goal
	Steps  []*stats.Estimate `json:"steps"`  // the limit for episodes that missed the goal or were truncated
}

// SampleCurves returns at most the given number of points of each curve. Each point is the mean of
// all episodes since the previous point, so that none is left out.
func (r Report) SampleCurves(ctx context.Context, most int) (SampledCurves, error) {
	s := SampledCurves{Window: max((r.Spec.Episodes+most-1)/most, 1), Episodes: []int{}, Arms: []SampledArm{}}
	for end := s.Window; end-s.Window < r.Spec.Episodes; end += s.Window {
		s.Episodes = append(s.Episodes, min(end, r.Spec.Episodes))
	}
	for _, arm := range r.Arms {
		s.Arms = append(s.Arms, SampledArm{Name: arm.Name})
		if err := r.sampleArm(ctx, arm, s.Episodes, &s.Arms[len(s.Arms)-1]); err != nil {
			return s, err
		}
	}
	return s, nil
}

func (r Report) sampleArm(ctx context.Context, of ArmReport, episodes []int, a *SampledArm) error {
	from := 0
	for _, to := range episodes {
		if err := ctx.Err(); err != nil {
			return err
		}
		a.Return = append(a.Return, r.meanReturn(r.returns(of, from, to)))
		a.Steps = append(a.Steps, r.meanSteps(r.steps(of, from, to)))
		from = to
	}
	return nil
}
