package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
)

// Engine executes runs into a store.
type Engine struct {
	store  *tracker.Store
	writer *groupcommit.Writer
	with   Options
	build  Build

	checked bool // [CheckJobs] has accepted the jobs
}

// NewEngine returns an engine over store that commits through w. The specs of its jobs are those that [CheckSpec]
// accepts.
func NewEngine(store *tracker.Store, w *groupcommit.Writer, with Options) *Engine {
	return &Engine{store: store, writer: w, with: with, build: readBuild()}
}

// RunAll executes jobs, at most parallel at once, and calls done with each outcome after it is
// committed. It takes the next job from jobs when a worker is free. done may be called from
// several goroutines. An error in one run does not stop the others; a cancelled context stops all.
func (e *Engine) RunAll(ctx context.Context, jobs iter.Seq[Job], parallel int, done func(Job, Outcome)) {
	var g errgroup.Group
	g.SetLimit(parallel)
	semaphore := newMemorySemaphore()
	for job := range jobs {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			env, err := job.newEnv()
			if err != nil {
				done(job, Outcome{Err: err})
				return nil
			}
			leave, err := semaphore.acquire(ctx, env, job.Spec)
			if err != nil {
				return nil // ctx was cancelled before the run started
			}
			defer leave()
			e.run(ctx, env, job, func(o Outcome) { done(job, o) })
			return nil
		})
	}
	_ = g.Wait() // no job returns an error: outcomes carry them
}

// Run executes one run up to the job's target. It calls done exactly once, after the outcome is
// committed or the commit has failed.
func (e *Engine) Run(ctx context.Context, job Job, done func(Outcome)) {
	env, err := job.newEnv()
	if err != nil {
		done(Outcome{Err: err})
		return
	}
	e.run(ctx, env, job, done)
}

// run executes a run in its environment.
func (e *Engine) run(ctx context.Context, env envs.Env, job Job, done func(Outcome)) {
	check, err := e.check(ctx, env, job)
	if err != nil {
		done(Outcome{Err: asInterruption(ctx, err)})
		return
	}
	b, code := e.build, e.with.CodeFor(job.Spec)
	rw, held, err := e.writer.Acquire(ctx, tracker.Claim{
		Spec: job.Spec, Start: job.Start, Fork: job.Fork, Target: job.Target, Name: job.Name, Tags: job.Tags,
		Open: job.Unfinished, Retention: job.Keep, Check: check, Session: &tracker.Session{
			Go: b.Go, OS: b.OS, Arch: b.Arch, Level: b.Level, Modules: b.Modules, Revision: b.Revision, Dirty: b.Dirty,
			Code: code,
		},
	})
	if err != nil {
		done(Outcome{Err: asInterruption(ctx, err)})
		return
	}
	cpu := processCPU()
	out, err := e.runTo(ctx, env, rw, held, job, code)
	err = asInterruption(ctx, err) // there may have been nothing to save yet
	finish := func(commit error) {
		if out.Err = err; err == nil {
			out.Err = commit
		}
		done(out)
	}
	if lost := rw.Err(); lost != nil { // the lease is lost or was never acquired, or the store cannot be written
		if !errors.Is(err, lost) && !errors.Is(err, ErrInterrupted) {
			err = lost // the cause of any other error
		}
		finish(nil)
		return
	}
	endSession(ctx, rw, cpu, err)
	switch {
	case err == nil && job.Failure != "":
		rw.Fail(errors.New(job.Failure), finish)
	case err == nil && job.Open:
		rw.Close(finish)
	case err == nil || errors.Is(err, ErrInterrupted):
		rw.Release(finish)
	default:
		rw.Fail(err, finish)
	}
}

// check checks the job, unless [CheckJobs] has. It returns what is left to check in the transaction that claims the
// run, so that the store is opened once. If programs are to be checked, nothing is left: no transaction waits for them.
func (e *Engine) check(ctx context.Context, env envs.Env, job Job) (inTx func(*tracker.Tx) error, err error) {
	defer envs.CatchEnvPanic(&err)
	switch {
	case e.checked:
		return nil, nil
	case job.needsPrograms():
		err := CheckJobs(ctx, e.store, []Job{job}, e.with)
		return nil, err
	}
	inTx = func(tx *tracker.Tx) error {
		_, err := job.checkInTx(tx)
		return err
	}
	return inTx, recorded.CheckMemory(env, job.Spec)
}

// runTo executes iterations from the recorded ones to the target.
func (e *Engine) runTo(
	ctx context.Context, env envs.Env, rw *groupcommit.RunWriter, held groupcommit.RunState, job Job, code *tracker.Code,
) (out Outcome, err error) {
	defer envs.CatchEnvPanic(&err)
	out = Outcome{
		Run: held.Run.ID, Iterations: held.Done, Resumed: held.Done, Head: held.Head,
		FromStore: held.Done > 0 || held.Checkpoint != nil,
	}
	if held.Done >= job.Target && !job.Open {
		if held.Previous != nil {
			out.Changes = provenance.Compare(held.Previous.Code, code)
		}
		return out, nil
	}
	p, err := e.loadRun(ctx, env, held)
	if err != nil {
		return out, fmt.Errorf("load run %s: %w", held.Run.ID, err)
	}
	checkpoint, changes := held.Checkpoint, provenance.Compare(held.Code, code)
	var left *Resumption // nil for a new run
	if last := held.Previous; last != nil {
		left = &Resumption{
			K: held.Done, Lost: last.LostAtMost(e.store.Options().Heartbeat, time.Now()), Session: *last,
			Changes: provenance.Compare(last.Code, code),
		}
	}
	if p.CodeChanged = len(changes) > 0 && e.with.Launcher != nil; p.CodeChanged && held.Done > 0 {
		if err := e.tryLast(ctx, held, changes); err != nil {
			return out, err
		}
	}
	for p.K < job.Target || job.Open {
		k := p.K // which an iteration that succeeds raises before its commit
		err := e.iterate(ctx, p, rw, job, checkpoint, left)
		if job.Open && errors.Is(err, pod.ErrCollectedAll) {
			return out, nil
		}
		if err == nil && job.Open {
			err = e.writer.Flush(ctx)
		}
		if checkpoint != nil && len(changes) > 0 && errors.Is(err, envs.ErrEnvNotRepeatable) {
			err = newCodeChange(err, envs.ErrEnvNotRepeatable, changes, held.Run.ID, k, AdviceChangedSteps)
		}
		if err != nil {
			return out, fmt.Errorf("iteration %d: %w", k, err)
		}
		out.Iterations, out.Head, checkpoint, left = p.K, p.Link, nil, nil
	}
	return out, nil
}

// tryLast takes the steps of the last iteration again, in an environment whose code or packages have changed since, and
// returns [envs.ErrEnvNotRepeatable] if they are others: a run has the steps of one environment.
func (e *Engine) tryLast(ctx context.Context, held groupcommit.RunState, changes []provenance.Change) error {
	last := held.Done - 1
	found, err := Verify(ctx, e.store, held.Run, Scope{Iteration: &last}, Options{Launcher: e.with.Launcher})
	if err != nil {
		return err
	}
	for _, s := range found.Iterations[0].Stages {
		if s.Stage == stages.Collect && s.Verdict == Different {
			return newCodeChange(fmt.Errorf("%w, and iteration %d has other steps now", envs.ErrEnvNotRepeatable, last),
				envs.ErrEnvNotRepeatable, changes, held.Run.ID, held.Done, AdviceChangedSteps)
		}
	}
	return nil
}

// iterate executes the next iteration, from a checkpoint if there is one. left describes the
// session that left the run there.
func (e *Engine) iterate(
	ctx context.Context, p *stages.State, rw *groupcommit.RunWriter, job Job, checkpoint *tracker.Checkpoint,
	left *Resumption,
) error {
	rec := &recorder{rw: rw, data: job.Data}
	it := stages.NewIteration(p, rec, func(stage string, done, total int64) {
		if left != nil {
			left.At = tracker.Position{Stage: stage, Part: done, Parts: total}
		}
		e.with.report(Event{
			Run: p.Run.ID, K: p.K, Target: job.Target, Stage: stage, Done: done, Total: total, Resumed: left,
		})
		left = nil
	})
	defer it.CloseEnv()    // its error adds nothing after a failure
	defer it.CloseStages() // likewise
	if checkpoint != nil {
		if err := it.Restore(ctx, e.store, checkpoint); err != nil {
			return err
		}
		rec.entries = checkpoint.Records
	}
	if err := it.Execute(ctx); err != nil {
		return err
	}
	if err := it.CloseStages(); err != nil { // a program wrote more than it was asked for
		return err
	}
	return rec.commit(it)
}

// loadRun reads the recorded iterations of a run and verifies its chain. It reads nothing if there are none: the
// transaction that took the run's lease may still be pending.
func (e *Engine) loadRun(ctx context.Context, env envs.Env, held groupcommit.RunState) (p *stages.State, err error) {
	with := e.store.Within(ctx)
	var recorded []schema.Iteration
	if held.Done > 0 {
		if recorded, err = recordedIterations(with, held.Run); err != nil {
			return nil, err
		}
	}
	if err := tabulateFor(ctx, env, held.Run.Spec); err != nil {
		return nil, err
	}
	p = stages.NewState(env, held.Run, e.with.Launcher, e.with.Stages)
	return p, p.LoadUpTo(ctx, with, recorded, len(recorded))
}

// recorder writes the results to the store.
type recorder struct {
	rw      *groupcommit.RunWriter
	data    [][]byte // imported records of the collect stage
	entries []schema.Entry
}

func (r *recorder) NeedsPart(string) bool { return true }

func (r *recorder) Imported(part int) ([]byte, error) {
	if part < len(r.data) {
		return r.data[part], nil
	}
	return nil, nil
}

func (r *recorder) Put(_ string, _ int, kind schema.Kind, record []byte) error {
	name, err := r.rw.Put(record)
	if err != nil {
		return err
	}
	r.entries = append(r.entries, schema.Entry{Kind: kind, Name: name})
	return nil
}

func (r *recorder) CheckpointDue() bool { return r.rw.CheckpointDue() }

func (r *recorder) FinishStage(_ context.Context, _ string, _ *stages.Iteration, err error) error {
	return err
}

// Save writes a checkpoint of the iteration between two units of work. An externally collected iteration gets none:
// asked again, the collector may return other transitions. A run without a step has nothing to save, and may start over
// with another program.
func (r *recorder) Save(it *stages.Iteration) error {
	isNew := it.RunState.K == 0 && len(r.entries) == 0 && (it.Stats == nil || it.StepsDone() == 0)
	if isNew || it.IsCollectedExternally() {
		return nil
	}
	state, err := it.EncodeState()
	if err != nil {
		return err
	}
	r.rw.SetPosition(it.Position)
	return r.rw.SealCheckpoint(state, r.entries)
}

// commit links the iteration to the previous one, commits it, and advances past it.
func (r *recorder) commit(it *stages.Iteration) error {
	p := it.RunState
	link, err := p.Run.Link(p.K, p.Link, r.entries)
	if err != nil {
		return err
	}
	cost := tracker.Cost{Stages: it.Cost}
	if err := r.rw.SealIteration(p.K, schema.Iteration{Link: link, Records: r.entries}, cost); err != nil {
		return err
	}
	it.Finish(link)
	return nil
}
