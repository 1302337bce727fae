package envs

import (
	"context"
	"errors"
	"math/bits"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/pod/rng"
)

// A Model is the transition graph of an environment.
type Model struct {
	States, Actions int
	next            []int32      // next[s*Actions+a] is the successor, the most likely one if there are several
	Branches        *branchTable // nil for a deterministic model

	// Offsets[b*Actions+a] is where a table holds the successors of block b under
	// action a, in order: among the states if the successors are consecutive, and
	// otherwise behind them, where each scattered sequence has 64 entries of its own.
	Offsets      []int32
	numScattered int

	// runs[runStart[b]:runStart[b+1]] are the scattered successors of block b.
	runStart []int32
	runs     []successorRun

	// masks[maskStart[b]:maskStart[b+1]] are the predecessors of block b.
	maskStart []int32
	masks     []predecessorMask
}

// A predecessorMask is a set of edges into a block: state i has the predecessor i + shift in
// another block, for every i in states. Graphs need few of them, since most of their edges lead to
// neighbours: a ring has four for each block.
type predecessorMask struct {
	Block  int32
	shift  int32
	states uint64
}

// A successorRun is a run of consecutive states among the scattered successors of a block: states from from on, which
// a table repeats from at on. Grids need few of them, since only steps against a wall interrupt a run.
type successorRun struct{ from, at, length int32 }

// BlockStates is the number of states of a block, the bits of a uint64.
const BlockStates = 64

// newModel tabulates step over all states and actions, and stops when ctx is done.
func newModel(ctx context.Context, states, actions int, step func(s, a int) int) (*Model, error) {
	m := &Model{States: states, Actions: actions, next: make([]int32, states*actions)}
	for s := range states {
		if s%contextCheckInterval == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for a := range actions {
			m.next[s*actions+a] = int32(step(s, a))
		}
	}
	if err := m.fillOffsets(ctx); err != nil {
		return nil, err
	}
	return m, m.fillMasks(ctx)
}

// contextCheckInterval is the number of states or edges that are processed between two
// checks of a context: far less than a tenth of a second.
const contextCheckInterval = 1 << 18

// A lazyModel is the model of an environment, built when it is first asked for. It implements [modelBuilder].
type lazyModel struct {
	mu    sync.Mutex
	model *Model
	build func(context.Context) (*Model, error)
}

// buildModel builds the model for the first caller; if its context ends, the next one tries again.
func (l *lazyModel) buildModel(ctx context.Context) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.model != nil {
		return nil
	}
	m, err := l.build(ctx)
	if err == nil {
		l.model = m
	}
	return err
}

// Model implements [ModelEnv]. It panics if a [Graph] leads to a state that does not exist.
func (l *lazyModel) Model() *Model {
	if err := l.buildModel(context.Background()); err != nil {
		panic(err)
	}
	return l.model
}

// fillOffsets sets Offsets, runs, runStart and numScattered.
func (m *Model) fillOffsets(ctx context.Context) error {
	m.Offsets, m.runStart = make([]int32, 0, m.Blocks()*m.Actions), make([]int32, 1, m.Blocks()+1)
	for b := range m.Blocks() {
		if b%(contextCheckInterval/BlockStates) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		first := b * BlockStates
		for a := range m.Actions {
			at := m.next[first*m.Actions+a]
			if !m.isContiguous(first, a) {
				at = int32(m.TableSize())
				m.numScattered++
				m.addRuns(first, a, at)
			}
			m.Offsets = append(m.Offsets, at)
		}
		m.runStart = append(m.runStart, int32(len(m.runs)))
	}
	return nil
}

// addRuns adds the successors of the block that begins with state first under action a, which a table repeats from at
// on.
func (m *Model) addRuns(first, a int, at int32) {
	begin := len(m.runs)
	for s := first; s < min(first+BlockStates, m.States); s++ {
		n := m.next[s*m.Actions+a]
		if last := len(m.runs) - 1; last >= begin && m.runs[last].from+m.runs[last].length == n {
			m.runs[last].length++
		} else {
			m.runs = append(m.runs, successorRun{from: n, at: at, length: 1})
		}
		at++
	}
}

// isContiguous reports whether the successors of a whole block are consecutive states.
func (m *Model) isContiguous(first, a int) bool {
	if first+BlockStates > m.States {
		return false
	}
	for i := range BlockStates {
		if m.next[(first+i)*m.Actions+a] != m.next[first*m.Actions+a]+int32(i) {
			return false
		}
	}
	return true
}

// TableSize returns the number of entries of a table that successors are read from.
func (m *Model) TableSize() int { return m.ScatterStart() + m.numScattered*BlockStates }

// ScatterStart returns the first entry of a table that belongs to no block.
func (m *Model) ScatterStart() int { return m.Blocks() * BlockStates }

// Gather copies the scattered successors of block b to their offsets in a table.
func (m *Model) Gather(b int, table []float64) {
	for _, r := range m.runs[m.runStart[b]:m.runStart[b+1]] {
		if r.length == 1 {
			table[r.at] = table[r.from]
			continue
		}
		copy(table[r.at:r.at+r.length], table[r.from:])
	}
}

// fillMasks sets masks and maskStart.
func (m *Model) fillMasks(ctx context.Context) error {
	lists := make([][]predecessorMask, m.Blocks())
	for edge, n := range m.next {
		if edge%contextCheckInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s := edge / m.Actions
		v := predecessorMask{Block: int32(s / BlockStates), shift: int32(s%BlockStates) - n%BlockStates,
			states: 1 << (n % BlockStates)}
		if list := &lists[n/BlockStates]; !mergeMask(*list, v) {
			*list = append(*list, v)
		}
	}
	m.maskStart, m.masks = make([]int32, 1, len(lists)+1), slices.Concat(lists...)
	for b, list := range lists {
		m.maskStart = append(m.maskStart, m.maskStart[b]+int32(len(list)))
	}
	return nil
}

// mergeMask merges v into the mask of the same block and shift, and reports whether there
// is one.
func mergeMask(list []predecessorMask, v predecessorMask) bool {
	for i := range list {
		if list[i].Block == v.Block && list[i].shift == v.shift {
			list[i].states |= v.states
			return true
		}
	}
	return false
}

// PredecessorsOf returns the predecessors of the given states of a block. None of them
// leaves the 64 bits.
func (p predecessorMask) PredecessorsOf(states uint64) uint64 {
	return bits.RotateLeft64(states&p.states, int(p.shift))
}

func (m *Model) Blocks() int { return (m.States + BlockStates - 1) / BlockStates }

// OffsetsOf returns the offsets of block b, one for each action.
func (m *Model) OffsetsOf(b int) []int32 { return m.Offsets[b*m.Actions : (b+1)*m.Actions] }

// MasksOf returns the predecessor masks of block b.
func (m *Model) MasksOf(b int) []predecessorMask { return m.masks[m.maskStart[b]:m.maskStart[b+1]] }

// Next returns the successor of state s under action a, the most likely one if there are
// several.
func (m *Model) Next(s, a int) int { return int(m.next[s*m.Actions+a]) }

// AllSuccessors returns the successor of each state and action, that of s under a at s*Actions+a.
func (m *Model) AllSuccessors() []int32 { return m.next }

// Successors returns the successors of s, one for each action.
func (m *Model) Successors(s int) []int32 { return m.next[s*m.Actions : (s+1)*m.Actions] }

// ErrModel reports that a model cannot be used: it does not exist, is too large, or has an unreachable state.
var ErrModel = errors.New("the environment's model")

// Never is the end state, and the number of steps to it, for a state from which a policy does not terminate, and the
// number of steps where there is no path.
const Never = -1

// CountSteps returns by state the steps of the shortest path from start, by breadth-first search, or [Never] if there
// is none. visitNext calls visit for the states that one step from s leads to.
func CountSteps(start, states int, visitNext func(s int, visit func(next int))) []int32 {
	steps := slices.Repeat([]int32{Never}, states)
	steps[start] = 0
	for queue := []int{start}; len(queue) > 0; queue = queue[1:] {
		visitNext(queue[0], func(next int) {
			if steps[next] == Never {
				steps[next] = steps[queue[0]] + 1
				queue = append(queue, next)
			}
		})
	}
	return steps
}

// StepsFrom returns by state the steps of the shortest path from start, over all that each action may lead to, or
// [Never] if there is none.
func (m *Model) StepsFrom(start int) []int32 { return CountSteps(start, m.States, m.visitNext) }

// StepsTo returns by state the fewest steps in which goal can be reached, or [Never] if it cannot.
func (m *Model) StepsTo(goal int) []int32 {
	predecessors := make([][]int, m.States)
	for s := range m.States {
		m.visitNext(s, func(next int) { predecessors[next] = append(predecessors[next], s) })
	}
	return CountSteps(goal, m.States, func(s int, visit func(int)) {
		for _, before := range predecessors[s] {
			visit(before)
		}
	})
}

// StatesEntered reports, by state, whether an action may lead to it from another one.
func (m *Model) StatesEntered() []bool {
	entered := make([]bool, m.States)
	for s := range m.States {
		m.visitNext(s, func(next int) { entered[next] = entered[next] || next != s })
	}
	return entered
}

// visitNext calls visit for each state that an action may lead to from s, for one action after the other.
func (m *Model) visitNext(s int, visit func(next int)) {
	for a := range m.Actions {
		m.VisitSuccessors(s, a, func(n Successor) { visit(int(n.Next)) })
	}
}

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

// CountReachable returns the number of states that a walk in env can visit from state from or from the start of an
// episode, and whether that number is known, which it is only in a simulated env. Where actions lead to one state it
// builds no model, but computes one step per state and action, or none on a ring.
func CountReachable(env Env, from int) (n int64, known bool) {
	e, known := As[SimulatedEnv](env)
	if !known {
		return 0, false
	}
	if _, ok := As[*Ring](env); ok {
		return int64(e.States()), true
	}
	seen, stack := NewVisitedSet(e.States()), []int32(nil)
	visit := func(s int) {
		if seen.Add(s) {
			stack = append(stack, int32(s))
		}
	}
	visit(from)
	episodic, hasEpisodes := As[Episodic](env)
	if hasEpisodes {
		for _, s := range episodic.StartStates() {
			visit(s)
		}
	}
	actions, deterministic := len(e.Actions()), e.Deterministic()
	for len(stack) > 0 {
		s := int(stack[len(stack)-1])
		stack = stack[:len(stack)-1]
		if hasEpisodes && episodic.IsTerminal(s) {
			continue
		}
		for a := range actions {
			if deterministic {
				visit(e.Step(s, a))
			} else {
				e.Model().VisitSuccessors(s, a, func(n Successor) { visit(int(n.Next)) })
			}
		}
	}
	return seen.Len(), true
}

// A VisitedSet is a set of states that were visited, one bit each. Its zero value is empty.
type VisitedSet struct {
	words []uint64
	n     int64
}

// NewVisitedSet returns an empty set with room for the given number of states. It grows where
// more become known.
func NewVisitedSet(states int) VisitedSet { return VisitedSet{words: make([]uint64, (states+63)/64)} }

// Add adds a state and reports whether it was new.
func (v *VisitedSet) Add(s int) bool {
	word, bit := s/64, uint64(1)<<(s%64)
	if word >= len(v.words) {
		v.words = append(v.words, make([]uint64, word+1-len(v.words))...)
	}
	if v.words[word]&bit != 0 {
		return false
	}
	v.words[word] |= bit
	v.n++
	return true
}

// Has reports whether a state is in the set.
func (v *VisitedSet) Has(s int) bool { return s/64 < len(v.words) && v.words[s/64]>>(s%64)&1 == 1 }

// Len returns the number of states in the set.
func (v *VisitedSet) Len() int64 { return v.n }
