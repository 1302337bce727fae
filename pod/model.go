package pod

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
	branches        *branchTable // nil for a deterministic model

	// offsets[b*Actions+a] is where a table holds the successors of block b under
	// action a, in order: among the states if the successors are consecutive, and
	// otherwise behind them, where each scattered sequence has 64 entries of its own.
	offsets      []int32
	numScattered int
	hasScattered []bool // by block: has scattered successors

	// masks[maskStart[b]:maskStart[b+1]] are the predecessors of block b.
	maskStart []int32
	masks     []predecessorMask
}

// A predecessorMask is a set of edges into a block: state i has the predecessor i + shift in
// another block, for every i in states. Graphs need few of them, since most of their edges lead to
// neighbours: a ring has four for each block.
type predecessorMask struct {
	block  int32
	shift  int32
	states uint64
}

// blockStates is the number of states of a block, the bits of a uint64.
const blockStates = 64

// newModel tabulates step over all states and actions.
func newModel(states, actions int, step func(s, a int) int) *Model {
	m, _ := newModelContext(context.Background(), states, actions, step)
	return m
}

// newModelContext does what [newModel] does, until ctx is done.
func newModelContext(ctx context.Context, states, actions int, step func(s, a int) int) (*Model, error) {
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

// A lazyModel is a model that is built when it is first asked for.
type lazyModel struct {
	mu    sync.Mutex
	model *Model
	build func(context.Context) (*Model, error)
}

// get returns the model. The first caller whose context lasts long enough builds it.
func (l *lazyModel) get(ctx context.Context) (*Model, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.model != nil {
		return l.model, nil
	}
	m, err := l.build(ctx)
	if err == nil {
		l.model = m
	}
	return m, err
}

// fillOffsets sets offsets, hasScattered and numScattered.
func (m *Model) fillOffsets(ctx context.Context) error {
	m.offsets, m.hasScattered = make([]int32, m.blocks()*m.Actions), make([]bool, m.blocks())
	for i := range m.offsets {
		if i%(contextCheckInterval/blockStates) == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		first, a := i/m.Actions*blockStates, i%m.Actions
		if m.isContiguous(first, a) {
			m.offsets[i] = m.next[first*m.Actions+a]
			continue
		}
		m.offsets[i] = int32(m.scatterStart() + m.numScattered*blockStates)
		m.numScattered++
		m.hasScattered[i/m.Actions] = true
	}
	return nil
}

// isContiguous reports whether the successors of a whole block are consecutive states.
func (m *Model) isContiguous(first, a int) bool {
	if first+blockStates > m.States {
		return false
	}
	for i := range blockStates {
		if m.next[(first+i)*m.Actions+a] != m.next[first*m.Actions+a]+int32(i) {
			return false
		}
	}
	return true
}

// tableSize returns the number of entries of a table that successors are read from.
func (m *Model) tableSize() int { return m.scatterStart() + m.numScattered*blockStates }

// scatterStart returns the first entry of a table that belongs to no block.
func (m *Model) scatterStart() int { return m.blocks() * blockStates }

// gather copies the scattered successors of block b to their offsets in a table.
func (m *Model) gather(b int, table []float64) {
	if m.hasScattered[b] {
		m.gatherScattered(b, table)
	}
}

func (m *Model) gatherScattered(b int, table []float64) {
	behind := int32(m.scatterStart())
	for a, at := range m.offsetsOf(b) {
		if at < behind {
			continue
		}
		next := m.next[b*blockStates*m.Actions+a : min((b+1)*blockStates, m.States)*m.Actions]
		for i := 0; i < len(next); i += m.Actions {
			table[at] = table[next[i]]
			at++
		}
	}
}

// fillMasks sets masks and maskStart.
func (m *Model) fillMasks(ctx context.Context) error {
	lists := make([][]predecessorMask, m.blocks())
	total := 0
	for edge, n := range m.next {
		if edge%contextCheckInterval == 0 && ctx.Err() != nil {
			return ctx.Err()
		}
		s := edge / m.Actions
		v := predecessorMask{block: int32(s / blockStates), shift: int32(s%blockStates) - n%blockStates,
			states: 1 << (n % blockStates)}
		if list := &lists[n/blockStates]; !mergeMask(*list, v) {
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
		if list[i].block == v.block && list[i].shift == v.shift {
			list[i].states |= v.states
			return true
		}
	}
	return false
}

// predecessorsOf returns the predecessors of the given states of a block. None of them
// leaves the 64 bits.
func (v predecessorMask) predecessorsOf(states uint64) uint64 {
	return bits.RotateLeft64(states&v.states, int(v.shift))
}

func (m *Model) blocks() int { return (m.States + blockStates - 1) / blockStates }

// offsetsOf returns the offsets of block b, one for each action.
func (m *Model) offsetsOf(b int) []int32 { return m.offsets[b*m.Actions : (b+1)*m.Actions] }

// masksOf returns the predecessor masks of block b.
func (m *Model) masksOf(b int) []predecessorMask { return m.masks[m.maskStart[b]:m.maskStart[b+1]] }

// Next returns the successor of state s under action a, the most likely one if there are
// several.
func (m *Model) Next(s, a int) int { return int(m.next[s*m.Actions+a]) }

// successors returns the successors of s, one for each action.
func (m *Model) successors(s int) []int32 { return m.next[s*m.Actions : (s+1)*m.Actions] }

// ErrModel reports that a model cannot be used: there is none, it is too large, or some
// state cannot be reached in it.
var ErrModel = errors.New("the environment's model")
