package external

import "github.com/podtrack/podtrack/pod"

// The rewards of a served environment. Those of the taxi are Dietterich's, but for the price of calls
// of pickup and dropoff that do nothing.
const (
	stepReward = -1
	goalReward = 0 // of the step that terminates an episode
	taxiReward = 20
)

// DeclareReward gives each step a reward: −1, and where it terminates the episode 0, in the taxi 20.
func (s *Served) DeclareReward() { s.reward = true }

// rewardOf returns the reward of a step.
func (s *Served) rewardOf(o pod.StepResult) float64 {
	switch {
	case o.End != pod.Terminated:
		return stepReward
	case s.declared.Name == "taxi":
		return taxiReward
	}
	return goalReward
}
