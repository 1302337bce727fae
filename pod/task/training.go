package task

import (
	"context"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/evaluation"
)

// TrainingStream is the purpose of the random stream of an agent in training.
const TrainingStream = "practice"

// maxTableEntries is the largest size of a table of action values.
const maxTableEntries = 1 << 26

// Curve holds the results of the episodes of a training.
type Curve struct {
	// Steps to the goal, or with rewards to the end, by episode; 0 if the goal was not reached, or the
	// episode truncated.
	Steps []uint32

	// Returns are the sums of the rewards by episode, not discounted; nil with a goal.
	Returns []float64
}

// episode is the result of an episode.
type episode struct {
	steps   int64
	reward  float64 // their sum
	reached bool    // the goal, or with rewards the end
}

// add adds a step.
func (e *episode) add(x move) {
	e.steps++
	e.reward += x.reward
}

// Train lets an agent learn a task for the given number of episodes. It returns the result of each or, with
// [evaluation.Published], of the scored ones.
func Train(ctx context.Context, set ActionSet, task Task, config Training, episodes int, stream *rng.Stream) (Curve,
	error) {
	set.Rewards = task.rewards
	if entries := set.Model.States * set.numChoices(); entries > maxTableEntries {
		return Curve{}, schema.Hint(fmt.Errorf("%w has %d states: with %d choices a table of values has %d entries",
			envs.ErrModel, set.Model.States, set.numChoices(), entries),
			"evaluate fewer options, or a smaller environment; a table may have %d entries", maxTableEntries)
	}
	l := newQAgent(set, task, config, stream)
	runEpisode := l.runEpisode
	if config.Algorithm == evaluation.Published {
		runEpisode = newPublishedAgent(l).runEpisode
	}
	c := Curve{Steps: make([]uint32, episodes)}
	if task.earns() {
		c.Returns = make([]float64, episodes)
	}
	for i := range c.Steps {
		if err := ctx.Err(); err != nil {
			return Curve{}, err
		}
		l.explore = int(float64(config.explorationRate(i) * math.MaxInt32)) // the rate is from 0 to 1
		c.set(i, runEpisode())
	}
	return c, nil
}

// set sets the result of episode i.
func (c Curve) set(i int, e episode) {
	if e.reached {
		c.Steps[i] = uint32(e.steps)
	}
	if c.Returns != nil {
		c.Returns[i] = e.reward
	}
}

// explorationRate returns the exploration rate of episode i.
func (t Training) explorationRate(i int) float64 {
	if t.GreedyFrom == 0 {
		return t.Epsilon
	}
	return float64(t.Epsilon*float64(max(t.GreedyFrom-i, 0))) / float64(t.GreedyFrom)
}

// runEpisode runs one episode.
func (q *qAgent) runEpisode() (e episode) {
	x := move{next: q.task.sampleStart(q.stream)}
	for !x.over && e.steps < q.task.Limit {
		x = q.runChoice(x.next, &e)
	}
	e.reached = q.hasReached(x)
	return e
}

// runChoice makes a choice in state s and follows it within the episode. It returns the last step.
func (q *qAgent) runChoice(s int, e *episode) (x move) {
	choice := q.chooseEpsilonGreedy(s)
	from, earned, discount := s, 0.0, 1.0
	q.passed = q.passed[:0]
	for called := int64(1); ; called++ {
		x = q.act(s, q.actionOf(choice, s))
		e.add(x)
		s = x.next
		if q.training.Algorithm == evaluation.IntraOption {
			q.updateIntraOption(x)
		}
		if x.over || e.steps == q.task.Limit || q.hasEnded(choice, s, called) || q.interruptsOption(choice, s) {
			break
		}
		earned += float64(discount * x.reward)
		discount = float64(discount * q.task.Gamma)
		q.notePassed(x)
	}
	if q.training.Algorithm == evaluation.SMDP {
		value := q.targetValue(x, q.maxValue)
		q.updatePassed(choice, value)
		q.update(from, choice, earned+float64(discount*value))
	}
	return x
}
