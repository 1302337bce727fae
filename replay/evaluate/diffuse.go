package evaluate

import (
	"context"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/replay/stats"
)

const coverWalks = 100 // whose mean is the cover time

// Diffusion describes how fast a random walk over the primitive actions and the first options spreads over the states.
type Diffusion struct {
	Options int    `json:"options"`          // number of options
	Last    string `json:"last,omitempty"`   // of them: K/J+ or K/J-
	Number  *int   `json:"number,omitempty"` // of the last

	task.Diffusion
	CoverDecisions *stats.Estimate `json:"cover_decisions"` // simulated, from the start state
	CoverSteps     *stats.Estimate `json:"cover_steps"`
}

// Diffuse measures diffusion for the primitive actions alone and then with one more option at a
// time. The diffusion time is exact, the cover time a mean over walks with its interval.
func (s *Subject) Diffuse(ctx context.Context, show func(done, total int)) ([]Diffusion, error) {
	set, err := task.NewActionSet(s.Env, nil)
	if err != nil {
		return nil, err
	}
	var all []Diffusion
	for n := range len(s.Options) + 1 {
		set.Options = s.Options[:n]
		d := Diffusion{Options: n}
		if n > 0 {
			d.Last, d.Number = s.Names[n-1], &s.Numbers[n-1]
		}
		if d.Diffusion, err = task.ComputeDiffusion(ctx, set); err != nil {
			return all, err
		}
		if err := s.measureCover(ctx, set, &d); err != nil {
			return all, err
		}
		all = append(all, d)
		if show != nil {
			show(n+1, len(s.Options)+1)
		}
	}
	return all, nil
}

// maxCoverWalk is the diffusion time, in steps, from which on no cover time is measured: it would take too long.
const maxCoverWalk = 1e4

func (s *Subject) measureCover(ctx context.Context, set task.ActionSet, d *Diffusion) error {
	if d.Steps > maxCoverWalk {
		return nil
	}
	var decisions, steps []float64
	for walk := range coverWalks {
		c, err := task.SimulateCover(ctx, set, envs.StartState(s.Env), rng.NewStream(uint64(walk), 0, task.CoverStream))
		if err != nil {
			return err
		}
		decisions, steps = append(decisions, float64(c.Decisions)), append(steps, float64(c.Steps))
	}
	d.CoverDecisions, d.CoverSteps = stats.Mean(decisions), stats.Mean(steps)
	return nil
}
