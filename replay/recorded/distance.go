package recorded

import (
	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/envs"
)

// NewPositionFunc returns a function that maps each step of a walk, visited in order, to the [collect.Position] that it
// leads to. It returns nil if the environment defines no distance.
func NewPositionFunc(env envs.Env) func(Step) int64 {
	p := collect.NewPosition(env)
	if p == nil {
		return nil
	}
	episodes, begins := envs.HasEpisodes(env), true
	return func(s Step) int64 {
		if begins || episodes && s.T == 0 {
			p.Begin(s.State)
		}
		begins = s.Resets
		return p.Step(s.Action, s.Next)
	}
}
