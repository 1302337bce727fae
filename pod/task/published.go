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
	*qAgent              // of the primitive actions
	explored choiceLists // those and the options
}

func newPublishedAgent(l *qAgent) *publishedAgent {
	primitive := l.ActionSet
	primitive.Options = nil
	p := &publishedAgent{qAgent: l, explored: l.choices}
	*l = *newQAgent(primitive, l.task, l.training, l.stream)
	return p
}

// followDrawn follows a choice that is drawn, and learns from each step.
func (p *publishedAgent) followDrawn(s int, steps *int64) (x move) {
	choice := p.explored.sample(s, p.stream)
	for called := int64(1); ; called++ {
		x = p.act(s, p.explored.actionOf(choice, s))
		*steps++
		s = x.next
		p.update(x.state, x.action, p.targetValue(x, p.maxValue))
		if x.over || *steps == p.task.Limit || p.explored.hasEnded(choice, s, called) {
			return x
		}
	}
}

// score takes an ε-greedy action.
func (p *publishedAgent) score(s int, steps *int64) move {
	*steps++
	return p.act(s, p.chooseEpsilonGreedy(s))
}
