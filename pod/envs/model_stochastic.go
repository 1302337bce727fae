package envs

import (
	"context"

	"github.com/podtrack/podtrack/pod/rng"
)

// NewStochasticModel returns the model with the given branches for every state and action.
// Branches to the same successor are added up. The model's Next is the most likely
// successor, the lowest on ties, and the state itself if there is none.
func NewStochasticModel(states, actions int, branches func(s, a int) []Branch) *Model {
	c := &branchTable{From: make([]int32, 1, states*actions+1)}
	likeliest := make([]int32, states*actions)
	for edge := range likeliest {
		likeliest[edge] = c.addEdge(int32(edge/actions), branches(edge/actions, edge%actions))
	}
	m, _ := newModel(context.Background(), states, actions, func(s, a int) int { return int(likeliest[s*actions+a]) })
	m.Branches = c
	return m
}

// Deterministic reports whether every action of every state leads to exactly one state.
func (m *Model) Deterministic() bool { return m.Branches == nil }

// MaxBranches returns the largest number of states that an action leads to, 0 if every action
// leads to exactly one.
func (m *Model) MaxBranches() int {
	most := int32(0)
	if !m.Deterministic() {
		for edge, from := range m.Branches.From[1:] {
			most = max(most, from-m.Branches.From[edge])
		}
	}
	return int(most)
}

// A Successor is a state that an action may lead to.
type Successor struct {
	Branch
	P float64 // its probability
}

// VisitSuccessors calls visit for each state that action a may lead to from s, in ascending order.
func (m *Model) VisitSuccessors(s, a int, visit func(n Successor)) {
	if m.Deterministic() {
		visit(Successor{Branch{Next: int32(m.Next(s, a)), Weight: 1}, 1})
		return
	}
	b, edge := m.Branches, s*m.Actions+a
	for i := b.From[edge]; i < b.From[edge+1]; i++ {
		visit(Successor{Branch{Next: b.Next[i], Weight: b.weight[i], Terminal: b.Terminal[i]}, b.P[i]})
	}
}

// SampleSuccessor returns a state that action a leads to from s, drawn by its probability.
// It consumes a draw only if there are several.
func (m *Model) SampleSuccessor(s, a int, stream *rng.Stream) int {
	if m.Deterministic() {
		return m.Next(s, a)
	}
	edge, total := s*m.Actions+a, int64(0)
	from, to := m.Branches.From[edge], m.Branches.From[edge+1]
	for _, w := range m.Branches.weight[from:to] {
		total += w
	}
	if to-from < 2 {
		return m.Next(s, a)
	}
	i := from
	for at := int64(stream.BelowBound(uint64(total))); at >= m.Branches.weight[i]; i++ {
		at -= m.Branches.weight[i]
	}
	return int(m.Branches.Next[i])
}
