package evaluate

import (
	"context"
	"sync"
	"time"

	"github.com/podtrack/podtrack/schema/evaluation"
	"github.com/podtrack/podtrack/tracker"
)

// keepEvery is the time between two commits of finished tasks.
const keepEvery = time.Second

// Complete evaluates like [Subject.Evaluate], and records the result. If there are many tasks, it saves finished ones
// in the store, the first at once, then every second and on interruption, and continues from saved ones.
func (s *Subject) Complete(
	ctx context.Context, spec evaluation.Spec, show func(done, total int),
) (evaluation.Record, error) {
	if len(spec.Tasks) == 0 {
		e, err := s.Evaluate(ctx, spec, show)
		if err == nil {
			err = s.Record(ctx, e)
		}
		return e, err
	}
	at, err := s.rowOf(spec)
	if err != nil {
		return evaluation.Record{}, err
	}
	each := len(spec.Arms()) * len(spec.Seeds) * spec.Episodes
	var known map[int][]uint32
	err = s.store.View(ctx, func(tx *tracker.Tx) error {
		known = tx.ReadEvaluationParts(at, len(spec.Tasks), each)
		return nil
	})
	if err != nil {
		return evaluation.Record{}, err
	}
	keep := partsKeeper{store: s.store, at: at, parts: map[int][]uint32{}}
	e, err := s.evaluateRest(ctx, spec, known, func(task int, steps []uint32) error {
		return keep.add(ctx, task, steps)
	}, show)
	if err == nil {
		return e, s.Record(ctx, e)
	}
	if kept := keep.write(context.WithoutCancel(ctx)); kept != nil && ctx.Err() == nil {
		return e, kept
	}
	return e, err
}

// partsKeeper saves finished tasks in the store, many in one transaction.
type partsKeeper struct {
	store *tracker.Store
	at    tracker.Evaluation

	mu    sync.Mutex
	last  time.Time
	parts map[int][]uint32 // finished but not yet saved
}

func (p *partsKeeper) add(ctx context.Context, task int, steps []uint32) error {
	if len(steps) > tracker.MaxPart {
		return nil // then it is computed again
	}
	p.mu.Lock()
	p.parts[task] = steps
	due := time.Since(p.last) >= keepEvery
	p.mu.Unlock()
	if !due {
		return nil
	}
	return p.write(ctx)
}

func (p *partsKeeper) write(ctx context.Context) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.last = time.Now()
	if len(p.parts) == 0 {
		return nil
	}
	err := p.store.Update(ctx, func(tx *tracker.Tx) error {
		for task, steps := range p.parts {
			if err := tx.PutEvaluationPart(p.at, task, steps); err != nil {
				return err
			}
		}
		return nil
	})
	if err == nil {
		p.parts = map[int][]uint32{}
	}
	return err
}
