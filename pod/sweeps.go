package pod

import "context"

// sweeper runs synchronous value iteration on a model. Its buffers serve one
// purpose after the other.
type sweeper struct {
	model *Model
	w, v  []float64
	gamma float64

	frontier []int32 // states with a successor that the last sweep changed
	changed  []change
	queued   []int64 // the round in which a state was last queued
	round    int64
}

type change struct {
	state int32
	value float64
}

func newSweeper(m *Model, w []float64, gamma float64) *sweeper {
	return &sweeper{
		model: m, w: w, gamma: gamma,
		v:      make([]float64, m.States),
		queued: make([]int64, m.States),
	}
}

// run does the given number of sweeps from v = 0,
//
//	v'(s) = max(0, max_a [w(s') − w(s) + γ v(s')]),
//
// the 0 being ⊥. It evaluates only states with a successor that the sweep before
// changed: the others would get the bits that they have.
func (sw *sweeper) run(ctx context.Context, sweeps int64) error {
	for i := range sweeps {
		if err := ctx.Err(); err != nil {
			return err
		}
		if i == 0 {
			sw.evaluateAll()
		} else {
			sw.evaluateFrontier()
		}
		if len(sw.changed) == 0 {
			return nil // a fixed point: every further sweep would end here too
		}
		sw.apply()
	}
	return nil
}

func (sw *sweeper) evaluateAll() {
	for s := range int32(sw.model.States) {
		sw.evaluate(s)
	}
}

func (sw *sweeper) evaluateFrontier() {
	for _, s := range sw.frontier {
		sw.evaluate(s)
	}
}

// evaluate notes the backup of s where it differs from v(s).
func (sw *sweeper) evaluate(s int32) {
	best, here := 0.0, sw.w[s]
	for _, n := range sw.model.successors(int(s)) {
		if q := sw.w[n] - here + float64(sw.gamma*sw.v[n]); q > best {
			best = q
		}
	}
	if best != sw.v[s] {
		sw.changed = append(sw.changed, change{s, best})
	}
}

// apply writes the changes of a sweep and queues the states that see them.
func (sw *sweeper) apply() {
	sw.round++
	sw.frontier = sw.frontier[:0]
	for _, c := range sw.changed {
		sw.v[c.state] = c.value
		for _, p := range sw.model.predecessors(c.state) {
			if sw.queued[p] != sw.round {
				sw.queued[p] = sw.round
				sw.frontier = append(sw.frontier, p)
			}
		}
	}
	sw.changed = sw.changed[:0]
}

// backup sets q to one more backup of v in state s, one entry an action.
func (sw *sweeper) backup(s int, q []float64) {
	here := sw.w[s]
	for a, n := range sw.model.successors(s) {
		q[a] = sw.w[n] - here + float64(sw.gamma*sw.v[n])
	}
}
