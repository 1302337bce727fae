package evaluate

import (
	"context"
	"fmt"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/rng"
	"github.com/podtrack/podtrack/pod/task"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// randomStream names the stream from which purposes of random options are drawn.
const randomStream = "random-options"

// maxKeptPolicies is the largest size, in bytes, of the random options that are kept for further
// tasks.
const maxKeptPolicies = 1 << 28

// actionSets returns the action sets of arms. It learns the random options of a seed once for all
// tasks, as long as they are not too large.
type actionSets struct {
	*Subject
	whole    task.ActionSet // with the options
	hallways []*schema.Option
	seen     learn.Experience // of the run's learner, if it learns from experience
	keeps    bool

	mu     sync.Mutex
	random map[uint64]func() ([]*schema.Option, error) // by seed: learns options when they are first needed
}

// newActionSets reads the records that the baselines of a spec need.
func (s *Subject) newActionSets(spec task.Spec) (*actionSets, error) {
	a := &actionSets{Subject: s, random: map[uint64]func() ([]*schema.Option, error){}}
	var err error
	if a.whole, err = task.NewActionSet(s.Env, s.Options); err != nil {
		return nil, err
	}
	a.keeps = int64(len(spec.Seeds)*len(s.Options))*int64(s.Env.States()) <= maxKeptPolicies
	if slices.Contains(spec.Against, task.AgainstHallways) {
		if a.hallways, err = task.HallwayOptions(s.Env); err != nil {
			return nil, err
		}
	}
	if slices.Contains(spec.Against, task.AgainstRandom) {
		if s.Run.SpecAt(s.K).Learner == schema.ExternalLearner {
			return nil, schema.Hint(fmt.Errorf("%w: %s need the run's own learner, which is an external program",
				schema.ErrSpec, task.AgainstRandom), "compare with %s", task.AgainstPrimitives)
		}
		err = a.loadExperience()
	}
	return a, err
}

// loadExperience reads the transitions that the iteration's options were learned from, unless that was the model.
func (a *actionSets) loadExperience() (err error) {
	if !a.Run.SpecAt(a.K).UsesExperience() {
		return nil
	}
	if a.seen.Transitions, err = a.Moves(a.K); err != nil {
		return tracker.WithRepairHint(err, a.Label())
	}
	chunks := a.Iterations[a.K].RecordsOf(schema.KindTransitions)
	if len(chunks) == 0 {
		return nil
	}
	return a.View(func(tx *tracker.Tx) error {
		first, err := tracker.Load(tx, chunks[0], schema.DecodeTransitions)
		a.seen.FirstChunk = &first
		return err
	})
}

// of returns an arm's action set with a seed.
func (a *actionSets) of(ctx context.Context, arm string, seed uint64) (set task.ActionSet, err error) {
	set = a.whole
	switch arm {
	case task.AgainstPrimitives:
		set.Options = nil
	case task.AgainstHallways:
		set.Options = a.hallways
	case task.AgainstRandom:
		set.Options, err = a.randomOptions(ctx, seed)
	}
	return set, err
}

func (a *actionSets) randomOptions(ctx context.Context, seed uint64) ([]*schema.Option, error) {
	if !a.keeps {
		return a.learnRandom(ctx, seed)
	}
	a.mu.Lock()
	learned := a.random[seed]
	if learned == nil {
		learned = sync.OnceValues(func() ([]*schema.Option, error) { return a.learnRandom(ctx, seed) })
		a.random[seed] = learned
	}
	a.mu.Unlock()
	return learned()
}

func (a *actionSets) learnRandom(ctx context.Context, seed uint64) ([]*schema.Option, error) {
	learner, err := learn.NewOptionLearner(a.Env, a.Run.SpecAt(a.K), a.seen)
	if err != nil {
		return nil, fmt.Errorf("the run's learner: %w", err)
	}
	return task.RandomOptions(ctx, a.Env, learner, len(a.Options), rng.NewStream(seed, 0, randomStream))
}
