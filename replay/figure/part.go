package figure

import (
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/replay"
	"github.com/podtrack/podtrack/replay/diff"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Part is a run, or one iteration of it.
type Part struct {
	*diff.Run
	K int // −1 for all iterations
}

// check refuses a part without iterations.
func (p Part) check() error {
	if len(p.Iterations) == 0 {
		return schema.Hint(fmt.Errorf("%w: run %s has no iteration yet", ErrEmpty, p.Label()), "podtrack resume %s goes on with it", p.Label())
	}
	if p.K >= 0 {
		return p.Has(p.K)
	}
	return nil
}

// span is its first iteration and the one behind its last.
func (p Part) span() (first, end int) {
	if p.K >= 0 {
		return p.K, p.K + 1
	}
	return 0, len(p.Iterations)
}

// name is RUN or RUN:K.
func (p Part) name() string {
	if p.K >= 0 {
		return fmt.Sprintf("%s:%d", p.Label(), p.K)
	}
	return p.Label()
}

// steps is how many the part has, and where its iterations but the first begin.
func (p Part) steps() (total int64, boundaries []int64) {
	first, end := p.span()
	for k := first; k < end; k++ {
		if k > first {
			boundaries = append(boundaries, total)
		}
		total += p.Source.Made(k).Steps
	}
	return total, boundaries
}

// walk visits every step of the part, T counted from its first, and returns the
// state after the last one.
func (p Part) walk(visit func(replay.Step)) (last int, err error) {
	if !pod.Walkable(p.Env()) {
		return 0, schema.Hint(fmt.Errorf("%w of run %s: it is of a plain D", ErrStates, p.Label()),
			"podtrack plot spectrum and podtrack plot purposes need none")
	}
	first, end := p.span()
	options, before := 0, int64(0)
	for k, it := range p.Iterations[:end] {
		if k >= first {
			err := p.View(func(tx *tracker.Tx) error {
				last, err = replay.Steps(tx, p.Env(), options, it, func(s replay.Step) {
					s.T += before
					visit(s)
				})
				return err
			})
			if err != nil {
				return 0, fmt.Errorf("run %s, iteration %d: %w", p.Label(), k, err)
			}
			before += p.Source.Made(k).Steps
		}
		options += len(it.All(schema.KindOption))
	}
	return last, nil
}
