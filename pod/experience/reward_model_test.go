package experience

import (
	"math"
	"slices"
	"testing"

	"github.com/podtrack/podtrack/pod/internal/podtest"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
)

// walkedModel returns the model of one recorded chunk in four rooms' features, which only count its states.
func walkedModel(t *testing.T, c *schema.Transitions, rewards ...float64) *RewardModel {
	t.Helper()
	tally := NewRewardTally()
	tally.Add(podtest.Grid(t, "1,5\nS...G\n", 0), c, rewards, true)
	m, err := NewRewardModel(podtest.Grid(t, "1,5\nS...G\n", 0), tally)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// By hand: a mean of three rewards, episodes that end, and transitions that lead nowhere. State 3 was never
// left, so that the step into it, from 2, does not count; and then nothing is known of 2 either.
func TestRewardModel(t *testing.T) {
	m := walkedModel(t, &schema.Transitions{
		Start: 0, Actions: []uint8{1, 1, 1, 1, 0, 1, 1, 1}, Next: []uint32{1, 4, 1, 0, 4, 1, 2, 3},
		Episodes: []schema.Episode{
			{Step: 2, State: 0, Terminated: true}, {Step: 4, State: 1}, {Step: 5, State: 0, Terminated: true},
		},
	}, -1, 10, -4, 7, 0, -1, 5, 5)
	if m.Transitions != 6 || m.LeftOut != 2 || !m.Terminates || m.Truncated != 2 || m.Starts != 2 {
		t.Errorf("%+v", m)
	}
	for _, w := range []struct {
		s, action int
		want      []rewardedOutcome
	}{
		{0, 1, []rewardedOutcome{{1, false, 3, -2}}},
		{1, 0, []rewardedOutcome{{4, true, 1, 0}}},
		{1, 1, []rewardedOutcome{{0, false, 1, 7}, {4, true, 1, 10}}},
		{2, 1, nil}, {3, 1, nil}, {0, 0, nil},
	} {
		if got := m.outcomesOf(w.s, w.action); !slices.Equal(got, w.want) || m.IsTried(w.s, w.action) != (w.want != nil) {
			t.Errorf("action %d in state %d: %v, want %v", w.action, w.s, got, w.want)
		}
	}
	if !slices.Equal(m.starts, []int32{0, 1}) || !slices.Equal(m.weights, []int64{3, 1}) {
		t.Errorf("starts %v, %v times", m.starts, m.weights)
	}
}

// By hand: with one step left action 1 of state 1 earns 8.5; with two it earns 8.5 + ½·(−2); then
// state 0 is worth −2 + 8.5, and so on.
func TestBestReturn(t *testing.T) {
	m := walkedModel(t, &schema.Transitions{
		Start: 0, Actions: []uint8{1, 1, 1, 1}, Next: []uint32{1, 4, 1, 0},
		Episodes: []schema.Episode{{Step: 2, State: 0, Terminated: true}, {Step: 4, State: 1}},
	}, -2, 10, -2, 7)
	for limit, want := range map[int64]float64{1: -2, 2: 6.5, 3: -2 + 7.5, 4: -2 + 8.5 + 3.25} {
		if got, err := m.Best(t.Context(), 0, limit); err != nil || got == nil || *got != want {
			t.Errorf("within %d steps %v, %v, want %v", limit, got, err, want)
		}
	}
	mean, err := m.Best(t.Context(), evaluation.AnyStart, 1)
	if err != nil || math.Abs(*mean-(2*-2+8.5)/3) > 1e-15 {
		t.Errorf("from two starts %v, %v", *mean, err)
	}
}

// TestLargestReturnTakesBoundedWork: what takes too long is not computed, and up to that it is.
func TestLargestReturnTakesBoundedWork(t *testing.T) {
	const outcomes = 1<<16 - 1 // 2¹⁶ with the state itself
	m := &RewardModel{States: 1, actions: 1, from: []int32{0, 1}, starts: []int32{0}, weights: []int64{1},
		outcomes: make([]rewardedOutcome, outcomes)}
	m.outcomes[0] = rewardedOutcome{Reward: 1, weight: 1}
	const most = maxBestWork / (outcomes + 1)
	if x, err := m.Best(t.Context(), evaluation.AnyStart, most); err != nil || x == nil || *x != most {
		t.Errorf("%d steps: %v, %v", most, x, err)
	}
	if x, err := m.Best(t.Context(), evaluation.AnyStart, most+1); err != nil || x != nil {
		t.Errorf("%d steps: %v, %v", most+1, x, err)
	}
}
