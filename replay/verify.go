package replay

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Verification is the result of replaying a run.
type Verification struct {
	Run        schema.Digest     `json:"run"`
	Iterations []IterationResult `json:"iterations"`
	First      *Difference       `json:"first,omitempty"`
}

// IterationResult holds the results of an iteration's stages. Identical is true if every verified
// stage is identical.
type IterationResult struct {
	K         int           `json:"k"`
	Identical bool          `json:"identical"`
	Stages    []StageResult `json:"stages"`
}

// count returns the number of stages of which is is true.
func (v Verification) count(is func(StageResult) bool) (n int) {
	for _, it := range v.Iterations {
		for _, s := range it.Stages {
			if is(s) {
				n++
			}
		}
	}
	return n
}

// Count returns the number of stages with a verdict.
func (v Verification) Count(verdict Verdict) int {
	return v.count(func(s StageResult) bool { return s.Verdict == verdict })
}

// CountWithoutEnv returns the number of stages that could not be verified because their external
// environment was not given.
func (v Verification) CountWithoutEnv() int {
	return v.count(func(s StageResult) bool { return s.noEnv })
}

// CountWithoutStage returns the number of stages that were not executed again because their external stage was not
// given.
func (v Verification) CountWithoutStage() int {
	return v.count(func(s StageResult) bool { return s.noStage })
}

// CountLevel returns the number of stages whose records have a level.
func (v Verification) CountLevel(level schema.Level) int {
	return v.count(func(s StageResult) bool { return s.Level == level })
}

// CountPruned returns the number of pruned records, which were compared by digest alone.
func (v Verification) CountPruned() (n int) {
	v.count(func(s StageResult) bool { n += s.Pruned; return true })
	return n
}

// Identical reports whether every iteration is identical. A stage outside the sample counts as identical.
func (v Verification) Identical() bool {
	return !slices.ContainsFunc(v.Iterations, func(it IterationResult) bool { return !it.Identical })
}

// A Scope selects the part of a run to verify. The zero value selects everything.
type Scope struct {
	Iteration *int    // this one alone; nil for all
	Sample    *Sample // of the stages; nil for all
}

// Verify re-executes a run's iterations from their recorded inputs, within the scope, and compares the results with the
// records. It writes nothing. If the run is removed meanwhile, the error wraps [ErrUnverifiable].
func Verify(
	ctx context.Context, store *tracker.Store, run tracker.Run, scope Scope, with Options,
) (Verification, error) {
	v, err := VerifyAll(ctx, store, []tracker.Run{run}, scope, 1, with)
	return v[0], err
}

// VerifyAll verifies runs like [Verify], at most parallel at once and as many as there is memory for. It stops at the
// first run that cannot be executed at all.
func VerifyAll(
	ctx context.Context, store *tracker.Store, runs []tracker.Run, scope Scope, parallel int, with Options,
) ([]Verification, error) {
	verifications := make([]Verification, len(runs))
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallel)
	semaphore := newMemorySemaphore()
	for i, run := range runs {
		verifications[i] = Verification{Run: run.ID, Iterations: []IterationResult{}}
		g.Go(func() error {
			env, err := newRecomputable(run)
			if err != nil {
				return err
			}
			leave, err := semaphore.acquire(ctx, env, run.Spec)
			if err != nil {
				return err
			}
			defer leave()
			v := &verifications[i]
			err = v.verify(ctx, env, store, run, scope, with)
			if err != nil || !v.Identical() {
				if gone := checkNotRemoved(ctx, store, run); errors.Is(gone, ErrUnverifiable) {
					return gone
				}
			}
			return err
		})
	}
	return verifications, g.Wait()
}

// checkNotRemoved returns an error if the run was removed since it was read.
func checkNotRemoved(ctx context.Context, store *tracker.Store, run tracker.Run) error {
	return store.View(ctx, func(tx *tracker.Tx) error {
		now, err := tx.ReadRun(run.ID)
		if errors.Is(err, tracker.ErrMissing) || err == nil && now.Number != run.Number {
			return schema.Hint(fmt.Errorf("run %.7s was removed while it was replayed: it %w", run.ID, ErrUnverifiable),
				AdviceListRuns)
		}
		return err
	})
}

// verify verifies a run in its environment, of which nothing was observed yet.
func (v *Verification) verify(
	ctx context.Context, env envs.Env, store *tracker.Store, run tracker.Run, scope Scope, with Options,
) (err error) {
	defer envs.CatchEnvPanic(&err)
	view := store.Within(ctx)
	r, err := openReplay(ctx, env, view, run, with)
	if err != nil {
		return err
	}
	end := len(r.listed)
	if scope.Iteration != nil {
		if err := r.loadOnly(ctx, *scope.Iteration); err != nil {
			return err
		}
		end = r.state.K + 1
	}
	r.records, r.sample = recorded.NewPrefetcher(view, r.listed[:end]), scope.Sample.forRun(run.ID)
	for r.state.K < end {
		k := r.state.K
		c := r.newComparer()
		if r.sample != nil { // otherwise every stage is computed
			if err := view(c.findPruned); err != nil {
				return err
			}
		}
		it, err := r.verifyNext(ctx, c)
		if err != nil {
			return fmt.Errorf("iteration %d: %w", k, err)
		}
		v.Iterations = append(v.Iterations, it)
		for _, s := range it.Stages {
			v.First = cmp.Or(v.First, s.Difference)
		}
	}
	return nil
}

// replayed is a run whose iterations are executed again, one after the other.
type replayed struct {
	view    tracker.Viewer
	state   *stages.State // before the next iteration
	listed  []schema.Iteration
	records *recorded.Prefetcher
	sample  *Sample
	with    Options
	before  *comparer // of the previous iteration, nil if that was not compared, or has no losses
}

// openReplay reads a run's iterations. The state is that before the first one.
func openReplay(
	ctx context.Context, env envs.Env, view tracker.Viewer, run tracker.Run, with Options,
) (*replayed, error) {
	if err := asUnverifiable(run, recorded.CheckMemory(env, run.Spec)); err != nil {
		return nil, err
	}
	listed, err := recordedIterations(view, run)
	if err != nil {
		return nil, err
	}
	if err := tabulateFor(ctx, env, run.Spec); err != nil {
		return nil, err
	}
	return &replayed{
		view: view, state: stages.NewState(env, run, with.Launcher, with.Stages), listed: listed,
		records: recorded.NewPrefetcher(view, listed), with: with,
	}, nil
}

// loadOnly loads the state before iteration k, which alone is verified.
func (r *replayed) loadOnly(ctx context.Context, k int) error {
	run := r.state.Run
	if k < 0 || k >= len(r.listed) {
		return schema.Hint(fmt.Errorf("run %.7s has no iteration %d: %w", run.ID, k, tracker.ErrMissing),
			"it has %d, counted from 0", len(r.listed))
	}
	if err := r.state.LoadUpTo(ctx, r.view, r.listed, k); err != nil {
		err = fmt.Errorf("iteration %d of run %.7s %w: %w", k, run.ID, ErrUnverifiable, err)
		return tracker.WithRepairHint(err, run.ID.String()[:12])
	}
	return nil
}

// verifyNext executes the next iteration again, and compares it with its records by c.
func (r *replayed) verifyNext(ctx context.Context, c *comparer) (IterationResult, error) {
	p, result := r.state, IterationResult{K: c.k, Identical: true}
	if r.before != nil {
		c.inheritLosses(r.before)
	}
	r.before = c
	it := stages.NewIteration(p, c, func(stage string, done, total int64) {
		r.with.report(Event{Run: p.Run.ID, K: p.K, Target: len(r.listed), Stage: stage, Done: done, Total: total})
	})
	defer it.CloseEnv()    // its last output does not matter
	defer it.CloseStages() // nor does its error after a failure
	if p.Growing() != nil && !it.IsCollectedExternally() {
		switch err := r.with.checkEnv(ctx, p.Spec().Env); {
		case errors.Is(err, stages.ErrNoEnvLauncher):
			c.setUnverified(stages.Collect, err)
		case err != nil:
			return result, err
		}
	}
	if err := c.findMissing(ctx, it); err != nil {
		return result, err
	}
	chain := p.Run.VerifyLink(p.K, p.Link, c.recorded)
	if err := cmp.Or(it.Execute(ctx), it.CloseStages()); err != nil {
		return result, err
	}
	result.Stages = c.stageResults()
	isWrong := func(s StageResult) bool { return s.Verdict != Identical && s.Verdict != Skipped }
	if chain == nil && !slices.ContainsFunc(result.Stages,
		func(s StageResult) bool { return isWrong(s) && !s.noStage }) {
		chain = c.checkKinds(it)
	}
	if chain != nil {
		result.Stages = append(result.Stages, StageResult{Stage: "link", Verdict: Damaged, Reason: chain.Error()})
	}
	result.Identical = !slices.ContainsFunc(result.Stages, isWrong)
	it.Finish(c.recorded.Link)
	return result, nil
}

// A Sample is the N-th of T parts of the work on a run: every T-th unit. A unit is a signed purpose to learn, or
// another stage as a whole. The offset of the first unit depends on the run's ID; otherwise samples of many short runs
// would all hold the same units. A nil Sample stands for all of the work.
type Sample struct {
	N, T int
	seen int
}

// forRun returns the sample with the offset of a run.
func (s *Sample) forRun(run schema.Digest) *Sample {
	if s == nil {
		return nil
	}
	offset := binary.BigEndian.Uint64(run[:8]) % uint64(s.T)
	return &Sample{N: s.N, T: s.T, seen: int(offset)}
}

func (s *Sample) takeNext() bool {
	if s == nil {
		return true
	}
	s.seen++
	return (s.seen-s.N)%s.T == 0
}

func recordedIterations(view tracker.Viewer, run tracker.Run) ([]schema.Iteration, error) {
	return tracker.Read(view, func(tx *tracker.Tx) ([]schema.Iteration, error) { return tx.ReadIterations(run.ID) })
}
