package learn

import "github.com/podtrack/podtrack/pod/envs"

// A sweeper runs synchronous value iteration on a model. It reuses its buffers for one
// purpose after the other.
type sweeper struct {
	Model *envs.Model
	gamma float64
	tables

	frontier     []uint64 // by block, the states that the last sweep changed, and their predecessors
	nextFrontier []uint64 // the same for the current sweep

	job    backupJob
	blocks []uint32 // memory for a list of blocks
	lines  []byte   // memory for the lines of such blocks, and eight more

	reward []float64 // by branch, for a stochastic model

	labels *labelSetting // nil before the first label setting
	paths  *policyPaths  // nil before the first certificate
}

// tables are the tables that a backup reads and writes: w, v, and the v of the current sweep. Each
// has one entry for each state, 0 up to the end of the last block, and then copies of the
// successors that are scattered.
type tables struct{ w, v, next []float64 }

func newSweeper(m *envs.Model, gamma float64) *sweeper {
	entries, part := m.TableSize(), min(m.Blocks(), partBlocks)
	return &sweeper{
		Model: m, gamma: gamma,
		job:    backupJob{offsets: m.Offsets, actions: m.Actions, gamma: gamma, changed: make([]uint64, m.Blocks())},
		blocks: make([]uint32, part), lines: make([]byte, 2*(part+1)*blockLines),
		tables:   tables{w: make([]float64, entries), v: make([]float64, entries), next: make([]float64, entries)},
		frontier: make([]uint64, m.Blocks()), nextFrontier: make([]uint64, m.Blocks()),
	}
}

// everyState is the set of all states of a block.
const everyState = ^uint64(0)

// potential returns the memory for w, one entry for each state.
func (s *sweeper) potential() []float64 { return s.w[:s.Model.States] }

// values returns v, one entry for each state.
func (s *sweeper) values() []float64 { return s.v[:s.Model.States] }

// gatherAll copies all scattered successors of a table.
func (s *sweeper) gatherAll(table []float64) {
	for b := range s.Model.Blocks() {
		s.Model.Gather(b, table)
	}
}
