package task

import (
	"context"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
)

// TrainingStream is the purpose of the random stream of an agent in training.
const TrainingStream = "practice"

// maxTableEntries is the largest size of a table of action values.
const maxTableEntries = 1 << 26

// Train lets an agent learn a task for the given number of episodes. It returns the steps to the goal of each or, with
// [Published], of the scored ones; 0 if the goal was not reached.
func Train(ctx context.Context, set ActionSet, task Task, config Training, episodes int, stream *rng.Stream) ([]uint32,
	error) {
	if entries := set.Model.States * set.numChoices(); entries > maxTableEntries {
		return nil, schema.Hint(fmt.Errorf("%w has %d states: with %d choices a table of values has %d entries",
			envs.ErrModel, set.Model.States, set.numChoices(), entries),
			"evaluate fewer options, or a smaller environment; a table may have %d entries", maxTableEntries)
	}
	l := newQAgent(set, task, config, stream)
	runEpisode := func() uint32 { return l.runEpisode(l.runChoice) }
	if config.Algorithm == Published {
		p := newPublishedAgent(l)
		runEpisode = func() uint32 {
			l.runEpisode(p.followDrawn)
			return l.runEpisode(p.score)
		}
	}
	steps := make([]uint32, episodes)
	for i := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		l.explore = int(float64(config.explorationRate(i) * math.MaxInt32)) // the rate is from 0 to 1
		steps[i] = runEpisode()
	}
	return steps, nil
}

// explorationRate returns the exploration rate of episode i.
func (t Training) explorationRate(i int) float64 {
	if t.GreedyFrom == 0 {
		return t.Epsilon
	}
	return float64(t.Epsilon*float64(max(t.GreedyFrom-i, 0))) / float64(t.GreedyFrom)
}

// runEpisode runs one episode. run makes a choice in a state and follows it within the episode, whose steps it counts;
// it returns the last step. runEpisode returns the steps to the goal, 0 if the goal was not reached.
func (q *qAgent) runEpisode(run func(s int, steps *int64) move) uint32 {
	start, steps := 0, int64(0)
	if n := len(q.task.starts); n > 1 {
		start = q.stream.Below(n)
	}
	x := move{next: q.task.starts[start]}
	for !x.over && steps < q.task.Limit {
		x = run(x.next, &steps)
	}
	if x.next != q.task.Goal {
		return 0
	}
	return uint32(steps)
}

// runChoice makes an ε-greedy choice and learns from it.
func (q *qAgent) runChoice(s int, steps *int64) (x move) {
	choice := q.chooseEpsilonGreedy(s)
	from, earned, discount := s, 0.0, 1.0
	q.passed = q.passed[:0]
	for called := int64(1); ; called++ {
		x = q.act(s, q.actionOf(choice, s))
		*steps++
		s = x.next
		if q.training.Algorithm == IntraOption {
			q.updateIntraOption(x)
		}
		if x.over || *steps == q.task.Limit || q.hasEnded(choice, s, called) || q.interruptsOption(choice, s) {
			break
		}
		earned += float64(discount * x.reward)
		discount = float64(discount * q.task.Gamma)
		q.notePassed(x)
	}
	if q.training.Algorithm == SMDP {
		value := q.targetValue(x, q.maxValue)
		q.updatePassed(choice, value)
		q.update(from, choice, earned+float64(discount*value))
	}
	return x
}
