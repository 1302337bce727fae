package matrix

import (
	"context"
	"unsafe"

	"github.com/podtrack/podtrack/pod/envs"
)

// repeated is a matrix that learns from the transitions of each iteration in several passes. The first is made while
// they are observed, the others when the iteration ends, in the same order.
type repeated struct {
	StateMatrix
	passes int64
	seen   []observation // in the iteration, until it ends
}

// An observation is what [StateMatrix.Observe] is given.
type observation struct {
	transition envs.Transition
	resets     bool
}

// RememberedBytes is the size of a transition that a matrix remembers for later passes.
const RememberedBytes = int64(unsafe.Sizeof(observation{}))

func (r *repeated) Observe(m envs.Transition, resets bool) {
	r.StateMatrix.Observe(m, resets)
	if r.CheckFull() == nil {
		r.seen = append(r.seen, observation{m, resets})
	}
}

func (r *repeated) Clone() StateMatrix {
	return &repeated{StateMatrix: r.StateMatrix.Clone(), passes: r.passes}
}

// passesBetweenChecks is the number of transitions between two looks at whether a context was cancelled.
const passesBetweenChecks = 1 << 10

func (r *repeated) End(ctx context.Context) error {
	for range r.passes - 1 {
		for i, x := range r.seen {
			if i%passesBetweenChecks == 0 && ctx.Err() != nil {
				return ctx.Err()
			}
			r.StateMatrix.Observe(x.transition, x.resets)
		}
	}
	r.seen = nil
	return nil
}
