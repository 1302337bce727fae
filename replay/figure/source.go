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

// visitSteps visits every step, with T counted from the first one, and returns the final state. Each
// record is read in its own transaction, so that writers need not wait long.
func (p Source) visitSteps(ctx context.Context, visit func(replay.Step)) (last int, err error) {
	if !pod.HasActions(p.Env()) {
		return 0, schema.Advise(fmt.Errorf("%w of run %s: it is of a plain D", ErrStates, p.Label()),
			AdviceWithoutStates)
	}
	first, end := p.iterationRange()
	options, before := 0, int64(0)
	for k, it := range p.Iterations[:end] {
		if k >= first {
			last, err = replay.VisitStepsWith(p.viewer(ctx), p.Env(), options, it, func(s replay.Step) {
				s.T += before
				visit(s)
			})
			if err != nil {
				return 0, p.WrapError(k, err)
			}
			before += p.Source.SpecAt(k).Steps
		}
		options += len(it.RecordsOf(schema.KindOption))
	}
	return last, nil
}

// viewer returns a function like that of [diff.Run.Viewer], which begins no transaction after ctx is done.
func (p Source) viewer(ctx context.Context) func(func(*tracker.Tx) error) error {
	return func(read func(*tracker.Tx) error) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return p.View(ctx, read)
	}
}
