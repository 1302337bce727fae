package pod

// A publishedAgent learns a task by the protocol of the code that Machado, Bellemare &
// Bowling published with "A Laplacian Framework for Option Discovery in Reinforcement
// Learning" (ICML 2017), https://github.com/mcmachado/options: options are for exploration
// alone. In an episode of learning each decision draws uniformly from the available
// actions and options, whatever they are worth, and every step, those of options too, is a
// step of one-step Q-learning of the values of actions. After each of them comes an episode
// that is scored and from which nothing is learned, ε-greedy by these values.
//
// In that code an exploring decision of a scored episode may be an option, too; here it is
// an action. The goal's reward is 1, as in all tasks of this package.
type publishedAgent struct {
	*qAgent // of the primitive actions
	choices ActionSet
}

func newPublishedAgent(l *qAgent) *publishedAgent {
	choices := l.ActionSet
	l.Options = nil
	l.q = make([]float64, l.Model.States*l.Model.Actions)
	return &publishedAgent{qAgent: l, choices: choices}
}

// runEpisode learns for an episode, and returns the steps to the goal of the one that is
// scored after it, or 0.
func (l *publishedAgent) runEpisode() uint32 {
	l.learnEpisode()
	return l.scoreEpisode()
}

func (l *publishedAgent) learnEpisode() {
	s, steps := l.task.sampleStart(l.stream), int64(0)
	for !l.task.isOver(s) && steps < l.task.Limit {
		choice := l.choices.sampleChoice(s, l.stream)
		for called := int64(1); ; called++ {
			before, a := s, l.choices.actionOf(choice, s)
			s = l.Model.sampleSuccessor(s, a, l.stream)
			steps++
			l.update(before, a, l.targetValue(s, l.maxValue))
			if l.task.isOver(s) || steps == l.task.Limit || l.choices.hasEnded(choice, s, called) {
				break
			}
		}
	}
}

func (l *publishedAgent) scoreEpisode() uint32 {
	s, steps := l.task.sampleStart(l.stream), int64(0)
	for !l.task.isOver(s) && steps < l.task.Limit {
		s = l.Model.sampleSuccessor(s, l.chooseEpsilonGreedy(s), l.stream)
		steps++
	}
	if s != l.task.Goal {
		return 0
	}
	return uint32(steps)
}
