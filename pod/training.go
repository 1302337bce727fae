package pod

import (
	"context"
	"fmt"
	"math"

	"github.com/podtrack/podtrack/schema"
)

// TrainingStream is the purpose of the random stream of an agent in training.
const TrainingStream = "practice"

// maxTableEntries is the largest size of a table of action values.
const maxTableEntries = 1 << 26

// Train lets an agent learn a task for the given number of episodes. It returns for each
// episode the number of steps to the goal, or 0 if the goal was not reached; by
// [schema.Published] those of the episode that is scored.
func Train(ctx context.Context, set ActionSet, task Task, config Training, episodes int, stream *Stream) ([]uint32,
	error) {
	if entries := set.Model.States * set.numChoices(); entries > maxTableEntries {
		return nil, schema.Hint(fmt.Errorf("%w has %d states: with %d choices a table of values has %d entries",
			ErrModel, set.Model.States, set.numChoices(), entries),
			"evaluate fewer options, or a smaller environment; a table may have %d entries", maxTableEntries)
	}
	l := &qAgent{
		ActionSet: set, task: task, training: config, stream: stream,
		q: make([]float64, set.Model.States*set.numChoices()),
	}
	if config.Interrupt {
		l.updated = make([]bool, len(l.q))
	}
	runEpisode := l.runEpisode
	if config.Algorithm == schema.Published {
		runEpisode = newPublishedAgent(l).runEpisode
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

// runEpisode runs one episode and returns the steps to the goal, or 0.
func (l *qAgent) runEpisode() uint32 {
	s, steps := l.task.sampleStart(l.stream), int64(0)
	for !l.task.isOver(s) && steps < l.task.Limit {
		var took int64
		s, took = l.runChoice(s, l.task.Limit-steps)
		steps += took
	}
	if s != l.task.Goal {
		return 0
	}
	return uint32(steps)
}

// runChoice makes a choice in state s and follows it for up to the given number of steps.
func (l *qAgent) runChoice(s int, most int64) (end int, steps int64) {
	choice := l.chooseEpsilonGreedy(s)
	from, discount := s, 1.0
	l.passed = l.passed[:0]
	for {
		before, a := s, l.actionOf(choice, s)
		s = l.Model.sampleSuccessor(s, a, l.stream)
		steps++
		if l.training.Algorithm == schema.IntraOption {
			l.updateIntraOption(before, a, s)
		}
		if l.task.isOver(s) || steps == most || l.hasEnded(choice, s, steps) || l.interruptsOption(choice, s) {
			break
		}
		discount = float64(discount * l.task.Gamma)
		l.notePassed(s)
	}
	if l.training.Algorithm == schema.SMDP {
		value := l.targetValue(s, l.maxValue)
		l.updatePassed(choice, value)
		l.update(from, choice, float64(discount*value))
	}
	return s, steps
}
