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

// Training is how an agent learns a task with an action set, by the algorithms of Sutton,
// Precup & Singh, "Between MDPs and semi-MDPs" (Artificial Intelligence 112, 1999): it
// learns the values Q of choices, starting from 0, while it acts ε-greedily by them.
type Training struct {
	Algorithm schema.Algorithm
	Interrupt bool    // an option is interrupted if another choice has a larger value
	Alpha     float64 // step size
	Epsilon   float64 // exploration rate: share of decisions drawn uniformly from all choices
}

// Train lets an agent learn a task for the given number of episodes. It returns for each
// episode the number of steps to the goal, or 0 if the goal was not reached.
func Train(ctx context.Context, set ActionSet, task Task, config Training, episodes int, stream *Stream) ([]uint32,
	error) {
	if entries := set.Model.States * set.numChoices(); entries > maxTableEntries {
		return nil, schema.Hint(fmt.Errorf("%w has %d states: with %d choices a table of values has %d entries",
			ErrModel, set.Model.States, set.numChoices(), entries),
			"evaluate fewer options, or a smaller environment; a table may have %d entries", maxTableEntries)
	}
	l := &qAgent{
		ActionSet: set, task: task, training: config, stream: stream,
		q:       make([]float64, set.Model.States*set.numChoices()),
		explore: int(float64(config.Epsilon * math.MaxInt32)), // Epsilon is from 0 to 1
	}
	if config.Interrupt {
		l.updated = make([]bool, len(l.q))
	}
	steps := make([]uint32, episodes)
	for i := range steps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		steps[i] = l.runEpisode()
	}
	return steps, nil
}

// A qAgent is an agent in training.
type qAgent struct {
	ActionSet
	task     Task
	training Training
	stream   *Stream
	q        []float64 // by state and choice
	explore  int       // number of exploring decisions among MaxInt32
	ties     []int

	updated []bool // by state and choice: q was updated; nil if options are not interrupted
	passed  []int  // states since the start of the current call, the latest ones of a long call
}

// choiceValues returns the values of all choices in state s, available or not.
func (l *qAgent) choiceValues(s int) []float64 {
	n := l.numChoices()
	return l.q[s*n : (s+1)*n]
}

// maxValue returns the largest value of an available choice in state s.
func (l *qAgent) maxValue(s int) float64 {
	best := 0.0 // the initial value, and no value is less
	for choice, q := range l.choiceValues(s) {
		if q > best && l.isAvailable(choice, s) {
			best = q
		}
	}
	return best
}

// chooseEpsilonGreedy returns a uniformly drawn choice with probability ε, and otherwise
// one of those with the largest value, drawn uniformly.
func (l *qAgent) chooseEpsilonGreedy(s int) int {
	if l.stream.Below(math.MaxInt32) < l.explore {
		return l.sampleChoice(s, l.stream)
	}
	best := l.maxValue(s)
	l.ties = l.ties[:0]
	for choice, q := range l.choiceValues(s) {
		if q == best && l.isAvailable(choice, s) {
			l.ties = append(l.ties, choice)
		}
	}
	if len(l.ties) == 1 {
		return l.ties[0]
	}
	return l.ties[l.stream.Below(len(l.ties))]
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
