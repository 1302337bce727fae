package task

// A publishedAgent learns a task by the protocol of the code that Machado, Bellemare & Bowling published with "A
// Laplacian Framework for Option Discovery in Reinforcement Learning" (ICML 2017),
// https://github.com/mcmachado/options: options are for exploration alone. In a learning episode each decision draws
// uniformly from the available actions and options, regardless of their values, and every step, also within an option,
// is a step of one-step Q-learning of the values of actions. Each learning episode is followed by one that is scored,
// ε-greedy by these values, in which nothing is learned.
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

// runEpisode learns for an episode, and returns the result of the scored episode after it.
func (p *publishedAgent) runEpisode() episode {
	p.learnEpisode()
	return p.scoreEpisode()
}

func (p *publishedAgent) learnEpisode() {
	x, steps := move{next: p.task.sampleStart(p.stream)}, int64(0)
	for !x.over && steps < p.task.Limit {
		choice := p.choices.sampleChoice(x.next, p.stream)
		for called := int64(1); ; called++ {
			x = p.act(x.next, p.choices.actionOf(choice, x.next))
			steps++
			p.update(x.state, x.action, p.targetValue(x, p.maxValue))
			if x.over || steps == p.task.Limit || p.choices.hasEnded(choice, x.next, called) {
				break
			}
		}
	}
}

func (p *publishedAgent) scoreEpisode() (e episode) {
	x := move{next: p.task.sampleStart(p.stream)}
	for !x.over && e.steps < p.task.Limit {
		x = p.act(x.next, p.chooseEpsilonGreedy(x.next))
		e.add(x)
	}
	e.reached = p.hasReached(x)
	return e
}
