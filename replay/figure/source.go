package figure

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Source is a run, or one iteration of it.
type Source struct {
	*diff.Run
	K int // −1 for all iterations
}

// check returns an error if there are no iterations.
func (p Source) check() error {
	if len(p.Iterations) == 0 {
		return schema.Advise(fmt.Errorf("%w: run %s has no iteration yet", ErrEmpty, p.Label()),
			AdviceResume, p.Label())
	}
	if p.K >= 0 {
		return p.CheckIteration(p.K)
	}
	return nil
}

// iterationRange returns the first iteration and the one after the last.
func (p Source) iterationRange() (first, end int) {
	if p.K >= 0 {
		return p.K, p.K + 1
	}
	return 0, len(p.Iterations)
}

// name returns RUN or RUN:K.
func (p Source) name() string {
	if p.K >= 0 {
		return fmt.Sprintf("%s:%d", p.Label(), p.K)
	}
	return p.Label()
}

// steps returns the number of steps, and the steps at which its iterations begin, without the
// first.
func (p Source) steps() (total int64, boundaries []int64) {
	first, end := p.iterationRange()
	for k := first; k < end; k++ {
		if k > first {
			boundaries = append(boundaries, total)
		}
		total += p.Source.SpecAt(k).Steps
	}
	return total, boundaries
}

// visitSteps visits every step, with T counted from the first one, and returns the final state. It
// does not set Begins. Each record is read in its own transaction, so that writers need not wait
// long.
func (p Source) visitSteps(ctx context.Context, visit func(replay.Step)) (last int, err error) {
	if !pod.HasActions(p.Env()) {
		return 0, schema.Advise(fmt.Errorf("%w of run %s: it is of a plain D", ErrStates, p.Label()),
			AdviceWithoutStates)
	}
	first, end := p.iterationRange()
	r := recordVisitor{source: p, visit: visit}
	for k, it := range p.Iterations[:end] {
		if k >= first {
			for i, name := range it.RecordsOf(schema.KindTransitions) {
				if err := ctx.Err(); err != nil {
					return 0, err
				}
				if err := r.record(ctx, name, i > 0); err != nil {
					return 0, p.WrapError(k, err)
				}
			}
		}
		r.options += len(it.RecordsOf(schema.KindOption))
	}
	return r.state, nil
}

// recordVisitor holds the position in the records.
type recordVisitor struct {
	source  Source
	visit   func(replay.Step)
	options int // that there are before the iteration
	t       int64
	state   int
}

// record visits the steps of one record, which continues the previous one or is an iteration's
// first.
func (r *recordVisitor) record(ctx context.Context, name schema.Digest, goesOn bool) error {
	only := schema.Iteration{Records: []schema.Entry{{Kind: schema.KindTransitions, Name: name}}}
	begins, ended := -1, r.state
	err := r.source.View(ctx, func(tx *tracker.Tx) (err error) {
		r.state, err = replay.VisitSteps(tx, r.source.Env(), r.options, only, func(s replay.Step) {
			if begins < 0 {
				begins = s.State
			}
			s.T = r.t
			r.t++
			r.visit(s)
		})
		return err
	})
	if err == nil && goesOn && begins != ended {
		err = fmt.Errorf("record %s: %w: it begins in state %d, the one before ends in %d", name, schema.ErrMalformed,
			begins, ended)
	}
	return err
}
