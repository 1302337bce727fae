package pod

import (
	"cmp"
	"context"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// A Branch is one possible successor of a state and action. Its weight is an integer, so
// that probabilities are rounded only once.
type Branch struct {
	Next     int32
	Weight   int64
	Terminal bool // the episode ends in Next, even if other transitions lead on from there
}

// A branchTable holds the successors of a model in which an action may lead to several
// states or, if only observed transitions are known, to none.
type branchTable struct {
	from     []int32 // branches from[i] to from[i+1] are those of edge i = s*Actions+a
	next     []int32 // rising within an edge
	terminal []bool
	weight   []int64
	p        []float64
	active   []int32 // states with a branch, rising
}

// newStochasticModel returns the model with the given branches for every state and action.
// Branches to the same successor are added up. The model's Next is the most likely
// successor, the lowest on ties, and the state itself if there is none.
func newStochasticModel(states, actions int, branches func(s, a int) []Branch) *Model {
	c := &branchTable{from: make([]int32, 1, states*actions+1)}
	likeliest := make([]int32, states*actions)
	for edge := range likeliest {
		likeliest[edge] = c.addEdge(int32(edge/actions), branches(edge/actions, edge%actions))
	}
	m := newModel(states, actions, func(s, a int) int { return int(likeliest[s*actions+a]) })
	m.branches = c
	return m
}

// addEdge appends the branches of one state and action and returns the most likely
// successor.
func (c *branchTable) addEdge(s int32, branches []Branch) (likeliest int32) {
	branches = slices.Clone(branches)
	slices.SortFunc(branches, func(a, b Branch) int {
		return cmp.Or(cmp.Compare(a.Next, b.Next), boolToInt(a.Terminal)-boolToInt(b.Terminal))
	})
	merged, total := branches[:0], int64(0)
	for _, b := range branches {
		total += b.Weight
		if n := len(merged); n > 0 && merged[n-1].Next == b.Next && merged[n-1].Terminal == b.Terminal {
			merged[n-1].Weight += b.Weight
			continue
		}
		merged = append(merged, b)
	}
	likeliest, most := s, int64(0)
	for _, b := range merged {
		if b.Weight > most {
			likeliest, most = b.Next, b.Weight
		}
		if b.Weight > 0 {
			c.next, c.terminal = append(c.next, b.Next), append(c.terminal, b.Terminal)
			c.weight, c.p = append(c.weight, b.Weight), append(c.p, float64(b.Weight)/float64(total))
		}
	}
	if n := len(c.active); total > 0 && (n == 0 || c.active[n-1] != s) {
		c.active = append(c.active, s)
	}
	c.from = append(c.from, int32(len(c.next)))
	return likeliest
}

// Deterministic reports whether every action of every state leads to exactly one state.
func (m *Model) Deterministic() bool { return m.branches == nil }

// VisitSuccessors calls visit for each state that action a may lead to from s, in
// ascending order, with its probability.
func (m *Model) VisitSuccessors(s, a int, visit func(next int, p float64)) {
	if m.Deterministic() {
		visit(m.Next(s, a), 1)
		return
	}
	edge := s*m.Actions + a
	for i := m.branches.from[edge]; i < m.branches.from[edge+1]; i++ {
		visit(int(m.branches.next[i]), m.branches.p[i])
	}
}

// sampleSuccessor returns a state that action a leads to from s, drawn by its probability.
// It consumes a draw only if there are several.
func (m *Model) sampleSuccessor(s, a int, stream *Stream) int {
	if m.Deterministic() {
		return m.Next(s, a)
	}
	edge, total := s*m.Actions+a, int64(0)
	from, to := m.branches.from[edge], m.branches.from[edge+1]
	for _, w := range m.branches.weight[from:to] {
		total += w
	}
	if to-from < 2 {
		return m.Next(s, a)
	}
	i := from
	for at := int64(stream.Below(int(total))); at >= m.branches.weight[i]; i++ {
		at -= m.branches.weight[i]
	}
	return int(m.branches.next[i])
}

// setRewards sets the reward of every branch to w(s') − w(s).
func (sw *sweeper) setRewards() {
	c := sw.model.branches
	if len(sw.reward) == 0 {
		sw.reward = make([]float64, len(c.next))
	}
	for edge := range len(c.from) - 1 {
		here := sw.w[edge/sw.model.Actions]
		for i := c.from[edge]; i < c.from[edge+1]; i++ {
			sw.reward[i] = sw.w[c.next[i]] - here
		}
	}
}

// expectedBackup returns one backup of v for a state and action,
//
//	Σ p(s') [r(s,a,s') + γ v(s')],
//
// summed in the order of s', without v(s') if the episode ends there. It returns 0, the
// value of ⊥, for an action without successors.
func (sw *sweeper) expectedBackup(edge int) float64 {
	c, q := sw.model.branches, 0.0
	for i := c.from[edge]; i < c.from[edge+1]; i++ {
		value := sw.reward[i]
		if !c.terminal[i] {
			value += float64(sw.gamma * sw.v[c.next[i]])
		}
		q += float64(c.p[i] * value)
	}
	return q
}

// runExpected does for a stochastic model what [sweeper.run] does for a deterministic one.
func (sw *sweeper) runExpected(ctx context.Context, sweeps int64) error {
	sw.setRewards()
	return sw.iterateExpected(ctx, sweeps)
}

// iterateExpected runs sweeps from v = 0 with the rewards that are set. A state from which
// no action leads keeps its 0.
func (sw *sweeper) iterateExpected(ctx context.Context, sweeps int64) error {
	clear(sw.v)
	clear(sw.next)
	for changing := true; changing && sweeps > 0; sweeps-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		changing = false
		for _, s := range sw.model.branches.active {
			best := 0.0
			for a := range sw.model.Actions {
				best = max(best, sw.expectedBackup(int(s)*sw.model.Actions+a))
			}
			changing = changing || best != sw.v[s]
			sw.next[s] = best
		}
		sw.v, sw.next = sw.next, sw.v
	}
	return nil
}

// expectedPolicy does for a stochastic model what [sweeper.policy] does for a
// deterministic one.
func (sw *sweeper) expectedPolicy(tolerance float64) []int8 {
	return sw.expectedPolicyWithTie(tolerance, tolerance)
}

func (sw *sweeper) expectedPolicyWithTie(tolerance, tie float64) []int8 {
	policy, q := make([]int8, sw.model.States), make([]float64, sw.model.Actions)
	for s := range policy {
		sw.q(s, q)
		policy[s] = greedyActionWithTie(q, tolerance, tie)
	}
	return policy
}

// GreedyAction returns the lowest action whose q is within the tolerance of the best one,
// or ⊥ if no q exceeds the tolerance.
func GreedyAction(q []float64, tolerance float64) int8 {
	return greedyActionWithTie(q, tolerance, tolerance)
}

func greedyActionWithTie(q []float64, tolerance, tie float64) int8 {
	best := slices.Max(q)
	if !(best > tolerance) {
		return schema.Terminate
	}
	return int8(slices.IndexFunc(q, func(x float64) bool { return x >= best-tie }))
}

// terminatingStates reports, by state, whether a policy may reach T, or the end of an
// episode, from it. If that holds for every state that the policy can visit, a finite
// chain terminates with probability 1.
func terminatingStates(m *Model, policy []int8) []bool {
	ends, predecessors := make([]bool, m.States), make([][]int32, m.States)
	var queue []int32
	reach := func(s int) {
		if !ends[s] {
			ends[s] = true
			queue = append(queue, int32(s))
		}
	}
	for s, a := range policy {
		if a == schema.Terminate {
			reach(s)
			continue
		}
		m.visitOutcomes(s, int(a), func(next int, over bool) {
			if over {
				reach(s)
			}
			predecessors[next] = append(predecessors[next], int32(s))
		})
	}
	for ; len(queue) > 0; queue = queue[1:] {
		for _, s := range predecessors[queue[0]] {
			reach(int(s))
		}
	}
	return ends
}

// visitOutcomes calls visit for each state that action a may lead to from s, and whether
// the episode ends there.
func (m *Model) visitOutcomes(s, a int, visit func(next int, over bool)) {
	if m.Deterministic() {
		visit(m.Next(s, a), false)
		return
	}
	edge := s*m.Actions + a
	for i := m.branches.from[edge]; i < m.branches.from[edge+1]; i++ {
		visit(int(m.branches.next[i]), m.branches.terminal[i])
	}
}
