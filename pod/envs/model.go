package envs

import (
	"context"
	"errors"
	"math/bits"
	"sync"
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
	total := 0
	for edge, n := range m.next {
		if edge%contextCheckInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s := edge / m.Actions
		v := predecessorMask{Block: int32(s / BlockStates), shift: int32(s%BlockStates) - n%BlockStates,
			states: 1 << (n % BlockStates)}
		if list := &lists[n/BlockStates]; !mergeMask(*list, v) {
			*list = append(*list, v)
			total++
		}
	}
	m.maskStart, m.masks = make([]int32, 1, len(lists)+1), make([]predecessorMask, 0, total)
	for _, list := range lists {
		m.masks = append(m.masks, list...)
		m.maskStart = append(m.maskStart, int32(len(m.masks)))
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
