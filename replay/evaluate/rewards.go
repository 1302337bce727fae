package evaluate

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/experience"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/stats"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/tracker"
)

// Rewards describes the model, estimated from recorded steps, in which agents learn a task of recorded rewards.
type Rewards struct {
	Transitions int `json:"transitions"` // distinct ones: state, action, next state, and whether the episode terminated
	LeftOut     int `json:"left_out"`    // of them, since their next states were never left
	Starts      int `json:"starts"`      // states in which an episode can begin

	Largest float64 `json:"largest_reward"` // largest magnitude of a transition's mean reward

	// Best is the largest expected return of an episode in the model, nil if it takes too long to compute.
	Best *float64 `json:"best_return"`
}

// ReturnComparison compares the options with another arm, seed by seed: the differences of mean returns, above 0 if the
// options earn more, and the share of seeds for which they do, ties counting half.
type ReturnComparison struct {
	EarlyReturn *stats.Estimate `json:"early_return"`
	LateReturn  *stats.Estimate `json:"late_return"`
	Area        *stats.Estimate `json:"area"`

	WinsEarly *stats.Estimate `json:"wins_early"`
	WinsLate  *stats.Estimate `json:"wins_late"`
	WinsArea  *stats.Estimate `json:"wins_area"`
}

// Best returns the largest possible expected return, nil if it is unknown.
func (r Report) Best() *float64 {
	if r.Rewards == nil {
		return nil
	}
	return r.Rewards.Best
}

// RewardModel returns the model of the steps and rewards that are recorded up to the evaluated iteration.
// It reads them once.
func (s *Subject) RewardModel(ctx context.Context) (*experience.RewardModel, error) {
	s.rewardsMu.Lock()
	defer s.rewardsMu.Unlock()
	if s.rewards != nil {
		return s.rewards, nil
	}
	if !s.Run.Spec.Env.HasReward() {
		return nil, schema.Advise(fmt.Errorf("%w: rewards as a task of run %.7s, which has none recorded", schema.ErrSpec,
			s.Run.ID), AdviceRecordRewards)
	}
	tally := experience.NewRewardTally()
	for k, it := range s.iterations {
		if err := s.addRewards(ctx, tally, it); err != nil {
			return nil, tracker.WithRepairHint(fmt.Errorf("iteration %d: %w", k, err), s.Run.ID.String()[:12])
		}
	}
	m, err := experience.NewRewardModel(s.Env, tally)
	s.rewards = m
	return m, err
}

// EpisodeLimit returns the default limit on the steps of an episode in a task of recorded rewards: the one that the
// environment declares; else the length of the longest recorded episode that was truncated; else usual, if any episode
// terminated.
func (s *Subject) EpisodeLimit(ctx context.Context, usual int64) (int64, error) {
	m, err := s.RewardModel(ctx)
	if err != nil {
		return 0, err
	}
	limit := s.Run.Spec.Env.EpisodeLimit()
	if limit == 0 {
		limit = m.Truncated
	}
	switch {
	case limit > 0:
		return min(limit, evaluation.MaxEpisodeSteps), nil
	case m.Terminates:
		return usual, nil
	}
	return 0, schema.Advise(fmt.Errorf("%w: no recorded episode of run %.7s has ended, so that those of the task would "+
		"not end either", schema.ErrSpec, s.Run.ID), AdviceLimitEpisodes)
}

// addRewards adds the steps of an iteration, chunk by chunk.
func (s *Subject) addRewards(ctx context.Context, tally *experience.RewardTally, it schema.Iteration) error {
	view := s.store.Within(ctx)
	return recorded.VisitRewards(view, it, func(part int, t *schema.Transitions, rewards schema.Rewards) error {
		tally.Add(s.Env, t, rewards, part == 0)
		return nil
	})
}

// describeRewards describes the task of an evaluation of recorded rewards.
func (s *Subject) describeRewards(ctx context.Context, spec evaluation.Spec) (*Rewards, error) {
	m, err := s.RewardModel(ctx)
	if err != nil {
		return nil, err
	}
	r := &Rewards{Transitions: m.Transitions, LeftOut: m.LeftOut, Starts: m.Starts, Largest: m.Largest}
	r.Best, err = m.Best(ctx, spec.Start, spec.Limit)
	return r, err
}

// compareReturns compares the options with another arm, seed by seed.
func compareReturns(options, other ArmReport) *ReturnComparison {
	c := &ReturnComparison{}
	c.EarlyReturn, c.WinsEarly = comparePaired(options.early, other.early)
	c.LateReturn, c.WinsLate = comparePaired(options.late, other.late)
	c.Area, c.WinsArea = comparePaired(options.areas, other.areas)
	return c
}

// comparePaired returns the mean of the differences of pairs, and the share of pairs in which the first is larger, ties
// counting half.
func comparePaired(options, other []float64) (difference, wins *stats.Estimate) {
	pairs, won := make([]stats.Pair, len(options)), make([]float64, len(options))
	for i, x := range options {
		pairs[i] = stats.Pair{A: other[i], B: x}
		switch {
		case x > other[i]:
			won[i] = 1
		case x == other[i]:
			won[i] = 0.5
		}
	}
	return stats.ComparePairs(pairs, stats.Level).Difference, stats.Mean(won).Within(0, 1)
}
