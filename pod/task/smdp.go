package task

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/schema"
)

// An smdpStep is a choice seen as one decision of a semi-Markov decision process: the
// states in which it ends and its expected number of steps. It ends in the goal if it
// visits the goal.
type smdpStep struct {
	outcomes []outcome
	steps    float64
}

// An outcome is a state in which a decision ends, with its probability.
type outcome struct {
	state int
	p     float64
}

// A choiceModel returns the step of one choice from state s, in which the choice is available and which is not the
// goal.
type choiceModel func(s, goal int) smdpStep

// choiceModels returns the models of all choices, in order.
func (a ActionSet) choiceModels() ([]choiceModel, error) {
	var all []choiceModel
	for action := range a.Model.Actions {
		all = append(all, func(s, _ int) smdpStep {
			l := smdpStep{steps: 1}
			a.Model.VisitSuccessors(s, action, func(n envs.Successor) {
				l.outcomes = append(l.outcomes, outcome{int(n.Next), n.P})
			})
			return l
		})
	}
	for i, o := range a.Options {
		if o.Certificate.MaxSteps > 0 && !a.Model.Deterministic() {
			return nil, schema.Hint(fmt.Errorf(
				"%w is stochastic, and option %d is truncated after %d steps: the diffusion time is not computed",
				envs.ErrModel, i, o.Certificate.MaxSteps),
				"evaluate a run whose learner proves that options end, such as sweeps")
		}
		if s := slices.Index(learn.TerminatingStates(a.Model, o.Policy), false); s >= 0 && o.Certificate.MaxSteps == 0 {
			return nil, fmt.Errorf("option %d: %w: from state %d on", i, learn.ErrNoTermination, s)
		}
		if !a.Model.Deterministic() {
			all = append(all, newStochasticOption(a.Model, o).step)
			continue
		}
		all = append(all, func(s, goal int) smdpStep {
			for steps := int64(1); ; steps++ {
				s = a.Model.Next(s, int(o.Policy[s]))
				if s == goal || o.EndsIn(s) || steps == o.Certificate.MaxSteps {
					return smdpStep{[]outcome{{s, 1}}, float64(steps)}
				}
			}
		})
	}
	return all, nil
}

// stochasticOption predicts the steps of an option in a stochastic environment. Let Q hold
// the probabilities of going on from state to state within I, and let N = (I − Q)⁻¹ be the
// expected visits. The option ends with the probabilities N times those of leaving, after
// the row sums of N steps. It visits a goal in I with probability N(s,g)/N(g,g); what
// would have followed is subtracted.
type stochasticOption struct {
	visits [][]float64 // N, rows of states outside of I being 0
	ends   [][]float64 // probabilities of ending in each state
	steps  []float64
}

func newStochasticOption(m *envs.Model, o *schema.Option) *stochasticOption {
	rows := make([][]float64, m.States)
	for s := range rows {
		rows[s] = make([]float64, 3*m.States+1) // I − Q | 1 on I | probabilities of leaving | a step
		rows[s][s] = 1
		if o.EndsIn(s) {
			continue
		}
		rows[s][m.States+s], rows[s][3*m.States] = 1, 1
		m.VisitSuccessors(s, int(o.Policy[s]), func(n envs.Successor) {
			if next := int(n.Next); o.EndsIn(next) {
				rows[s][2*m.States+next] += n.P
			} else {
				rows[s][next] -= n.P
			}
		})
	}
	linalg.SolveDominant(rows)
	x := &stochasticOption{}
	for _, row := range rows {
		x.visits = append(x.visits, row[m.States:2*m.States])
		x.ends = append(x.ends, row[2*m.States:3*m.States])
		x.steps = append(x.steps, row[3*m.States])
	}
	return x
}

func (s *stochasticOption) step(from, goal int) smdpStep {
	visit := 0.0 // the probability of visiting the goal
	if s.visits[goal][goal] > 0 {
		visit = s.visits[from][goal] / s.visits[goal][goal]
	}
	l := smdpStep{steps: s.steps[from] - float64(visit*s.steps[goal])}
	for state, p := range s.ends[from] {
		p -= float64(visit * s.ends[goal][state])
		if p > 0 {
			l.outcomes = append(l.outcomes, outcome{state, p})
		}
	}
	if visit > 0 {
		l.outcomes = append(l.outcomes, outcome{goal, visit})
	}
	return l
}
