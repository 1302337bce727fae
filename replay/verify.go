package replay

import (
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

// Count returns the number of stages with a verdict.
func (v Verification) Count(verdict Verdict) int {
	n := 0
	for _, it := range v.Iterations {
		for _, s := range it.Stages {
			if s.Verdict == verdict {
				n++
			}
		}
	}
	return n
}

// CountWithoutEnv returns the number of stages that could not be verified because their external
// environment was not given.
func (v Verification) CountWithoutEnv() int {
	n := 0
	for _, it := range v.Iterations {
		for _, s := range it.Stages {
			if s.noEnv {
				n++
			}
		}
	}
	return n
}

// CountWithoutStage returns the number of stages that were not executed again because their external stage was not
// given.
func (v Verification) CountWithoutStage() int {
	n := 0
	for _, it := range v.Iterations {
		for _, s := range it.Stages {
			if s.noStage {
				n++
			}
		}
	}
	return n
}

// CountLevel returns the number of stages whose records have a level.
func (v Verification) CountLevel(level schema.Level) int {
	n := 0
	for _, it := range v.Iterations {
		for _, s := range it.Stages {
			if s.Level == level {
				n++
			}
		}
	}
	return n
}

// CountPruned returns the number of pruned records, which were compared by digest alone.
func (v Verification) CountPruned() int {
	n := 0
	for _, it := range v.Iterations {
		for _, s := range it.Stages {
			n += s.Pruned
		}
	}
	return n
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
	env, err := newRecomputable(run)
	if err != nil {
		return Verification{Run: run.ID}, err
	}
	return verify(ctx, env, store, run, scope, with)
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
			verifications[i], err = verify(ctx, env, store, run, scope, with)
			return err
		})
	}
	return verifications, g.Wait()
}

// verify verifies a run in its environment, of which nothing was observed yet.
func verify(
	ctx context.Context, env envs.Env, store *tracker.Store, run tracker.Run, scope Scope, with Options,
) (Verification, error) {
	j, err := verifyRun(ctx, env, store, run, scope, with)
	if err == nil && j.Identical() {
		return j, nil
	}
	if gone := checkNotRemoved(ctx, store, run); errors.Is(gone, ErrUnverifiable) {
		return j, gone
	}
	return j, err
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

// Identical reports whether every iteration is identical. A stage outside the sample counts as identical.
func (v Verification) Identical() bool {
	return !slices.ContainsFunc(v.Iterations, func(it IterationResult) bool { return !it.Identical })
}

func verifyRun(
	ctx context.Context, env envs.Env, store *tracker.Store, run tracker.Run, scope Scope, with Options,
) (j Verification, err error) {
	defer envs.CatchEnvPanic(&err)
	j = Verification{Run: run.ID, Iterations: []IterationResult{}}
	view := store.Within(ctx)
	p, listed, err := openRecorded(ctx, env, view, run, with)
	if err != nil {
		return j, err
	}
	end := len(listed)
	if scope.Iteration != nil {
		if err := loadOnly(ctx, p, view, listed, *scope.Iteration); err != nil {
			return j, err
		}
		end = p.K + 1
	}
	sample := scope.Sample.forRun(run.ID)
	records := recorded.NewPrefetcher(view, listed[:end])
	var before *comparer
	for p.K < end {
		c := newComparer(p, listed[p.K], records, sample, view)
		if sample != nil { // otherwise every stage is computed
			if err := view(c.findPruned); err != nil {
				return j, err
			}
		}
		if before != nil {
			c.inheritLosses(before)
		}
		judged, err := verifyIteration(ctx, p, c, len(listed), with.Report)
		if err != nil {
			return j, fmt.Errorf("iteration %d: %w", c.k, err)
		}
		j.add(judged)
		before = c
	}
	return j, nil
}

// openRecorded reads a run's iterations and returns the state before the first one.
func openRecorded(
	ctx context.Context, env envs.Env, with tracker.Viewer, run tracker.Run, options Options,
) (*stages.State, []schema.Iteration, error) {
	if err := asUnverifiable(run, recorded.CheckMemory(env, run.Spec)); err != nil {
		return nil, nil, err
	}
	recorded, err := recordedIterations(with, run)
	if err != nil {
		return nil, nil, err
	}
	if err := tabulateFor(ctx, env, run.Spec); err != nil {
		return nil, nil, err
	}
	return stages.NewState(env, run, options.Launcher, options.Stages), recorded, nil
}

// loadOnly loads the state before iteration k, which alone is verified.
func loadOnly(ctx context.Context, p *stages.State, with tracker.Viewer, recorded []schema.Iteration, k int) error {
	if k < 0 || k >= len(recorded) {
		return schema.Hint(fmt.Errorf("run %.7s has no iteration %d: %w", p.Run.ID, k, tracker.ErrMissing),
			"it has %d, counted from 0", len(recorded))
	}
	if err := p.LoadUpTo(ctx, with, recorded, k); err != nil {
		err = fmt.Errorf("iteration %d of run %.7s %w: %w", k, p.Run.ID, ErrUnverifiable, err)
		return tracker.WithRepairHint(err, p.Run.ID.String()[:12])
	}
	return nil
}

func verifyIteration(
	ctx context.Context, p *stages.State, c *comparer, target int, report func(Event),
) (IterationResult, error) {
	it := stages.NewIteration(p, c, func(stage string, done, total int64) {
		if report != nil {
			report(Event{Run: p.Run.ID, K: p.K, Target: target, Stage: stage, Done: done, Total: total})
		}
	})
	defer it.CloseEnv()    // its last output does not matter
	defer it.CloseStages() // nor does its error after a failure
	if p.Growing() != nil && p.Launcher == nil && !it.IsCollectedExternally() {
		c.setUnverified(stages.Collect, stages.NewNoLauncherError(p.Spec().Env))
	}
	if err := c.findMissing(ctx, it); err != nil {
		return IterationResult{}, err
	}
	chain := p.Run.VerifyLink(p.K, p.Link, c.recorded)
	if err := it.Execute(ctx); err != nil {
		return IterationResult{}, err
	}
	if err := it.CloseStages(); err != nil {
		return IterationResult{}, err
	}
	judged := IterationResult{K: c.k, Identical: true, Stages: c.stageResults()}
	if chain == nil && c.allIdentical() {
		chain = c.checkKinds(it)
	}
	if chain != nil {
		judged.Stages = append(judged.Stages, StageResult{Stage: "link", Verdict: Damaged, Reason: chain.Error()})
	}
	for _, s := range judged.Stages {
		judged.Identical = judged.Identical && (s.Verdict == Identical || s.Verdict == Skipped)
	}
	it.Finish(c.recorded.Link)
	return judged, nil
}

func (v *Verification) add(it IterationResult) {
	v.Iterations = append(v.Iterations, it)
	for _, s := range it.Stages {
		if v.First == nil {
			v.First = s.Difference
		}
	}
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

func recordedIterations(
	with tracker.Viewer, run tracker.Run,
) (recorded []schema.Iteration, err error) {
	err = with(func(tx *tracker.Tx) error {
		recorded, err = tx.ReadIterations(run.ID)
		return err
	})
	return recorded, err
}
