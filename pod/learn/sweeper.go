package learn

import (
	"context"

	"github.com/podtrack/podtrack/pod/envs"
)

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

// runExpected runs sweeps like [sweeper.run], for stochastic models, with the rewards that are set. A state from which
// no action leads keeps its 0.
func (s *sweeper) runExpected(ctx context.Context, sweeps int64) error {
	clear(s.v)
	clear(s.next)
	for changing := true; changing && sweeps > 0; sweeps-- {
		if err := ctx.Err(); err != nil {
			return err
		}
		changing = false
		for _, state := range s.Model.Branches.Active {
			best := 0.0
			for a := range s.Model.Actions {
				best = max(best, s.expectedBackup(int(state)*s.Model.Actions+a))
			}
			changing = changing || best != s.v[state]
			s.next[state] = best
		}
		s.v, s.next = s.next, s.v
	}
	return nil
}

// setRewards sets the reward of every branch to w(s') − w(s).
func (s *sweeper) setRewards() {
	c := s.Model.Branches
	if len(s.reward) == 0 {
		s.reward = make([]float64, len(c.Next))
	}
	for edge := range len(c.From) - 1 {
		here := s.w[edge/s.Model.Actions]
		for i := c.From[edge]; i < c.From[edge+1]; i++ {
			s.reward[i] = s.w[c.Next[i]] - here
		}
	}
}

// expectedBackup returns one backup of v for a state and action,
//
//	Σ p(s') [r(s,a,s') + γ v(s')],
//
// summed in the order of s', without v(s') if the episode ends there. It returns 0, the
// value of ⊥, for an action without successors.
func (s *sweeper) expectedBackup(edge int) float64 {
	c, q := s.Model.Branches, 0.0
	for i := c.From[edge]; i < c.From[edge+1]; i++ {
		value := s.reward[i]
		if !c.Terminal[i] {
			value += float64(s.gamma * s.v[c.Next[i]])
		}
		q += float64(c.P[i] * value)
	}
	return q
}
