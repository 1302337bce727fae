package replay

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"golang.org/x/sync/errgroup"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// ErrInterrupted is the error of work that stopped on request. The run's state has been saved.
var ErrInterrupted = errors.New("interrupted")

// Engine executes runs into a store.
type Engine struct {
	store  *tracker.Store
	writer *tracker.Writer
	with   Options
	build  Build
}

// Options are what the execution and the verification of runs take beside their store.
type Options struct {
	Launcher EnvLauncher // launches external environments, nil if there is none to launch
	Report   func(Event) // receives progress, perhaps from several goroutines; nil for nobody
}

func (o Options) report(e Event) {
	if o.Report != nil {
		o.Report(e)
	}
}

// Job is one run and its target.
type Job struct {
	Spec   schema.Spec
	Start  *schema.Digest     // link at which a fork starts, nil for an independent run
	Fork   *tracker.Fork      // how to create the fork if it does not exist
	Target int                // iterations; a higher target that the run already has is kept
	Name   string             // set on the run unless empty
	Tags   []string           // added to the run's tags
	Keep   *tracker.Retention // what is kept of the run from now on, nil for what was said before
	Data   [][]byte           // imported records of iteration 0, nil for those in the store
}

// ID returns the ID of the job's run.
func (j Job) ID() (schema.Digest, error) { return schema.RunID(j.Spec, j.Start) }

// Outcome is the committed state of a run when the engine left it.
type Outcome struct {
	Run        schema.Digest
	Iterations int
	Resumed    int  // iterations that the store already had
	FromStore  bool // the store already had iterations or a checkpoint
	Head       schema.Digest
	Err        error
}

// Event reports a run's progress: Done of Total units of a stage of iteration K.
type Event struct {
	Run         schema.Digest
	K           int
	Target      int
	Stage       string
	Done, Total int64

	Resumed *Resumption // in the first event of a resumed run
}

// The stages of an iteration, as events and costs name them.
const (
	StageCollect = "collect"
	StageFactor  = "factor"
	StageSelect  = "select"
	StageLearn   = "learn"
	StageMeasure = "measure"
)

// Stages lists the stages in the order of execution.
var Stages = []string{StageCollect, StageFactor, StageSelect, StageLearn, StageMeasure}

// StageKinds maps a stage to the kinds of records that it makes. Selecting by σ > κ makes none.
var StageKinds = map[string][]schema.Kind{
	StageCollect: {schema.KindObservations, schema.KindTransitions, schema.KindRows},
	StageFactor:  {schema.KindFactors},
	StageSelect:  {schema.KindSelection},
	StageLearn:   {schema.KindValue, schema.KindTheta, schema.KindOption},
	StageMeasure: {schema.KindMeasures},
}

// NewEngine returns an engine over store that commits through w.
func NewEngine(store *tracker.Store, w *tracker.Writer, with Options) *Engine {
	return &Engine{store: store, writer: w, with: with, build: ReadBuild()}
}

// RunAll executes jobs, at most parallel at once, and calls done with each outcome after it is
// committed. It takes the next job from jobs when a worker is free. done may be called from
// several goroutines. An error in one run does not stop the others; a cancelled context stops all.
func (e *Engine) RunAll(ctx context.Context, jobs iter.Seq[Job], parallel int, done func(Job, Outcome)) {
	var g errgroup.Group
	g.SetLimit(parallel)
	gate := NewMemorySemaphore()
	for job := range jobs {
		if ctx.Err() != nil {
			break
		}
		g.Go(func() error {
			leave, err := gate.Acquire(ctx, job.Spec)
			if err != nil {
				return nil // ctx was cancelled before the run started
			}
			defer leave()
			e.Run(ctx, job, func(o Outcome) { done(job, o) })
			return nil
		})
	}
	_ = g.Wait() // no job returns an error: outcomes carry them
}

// Run executes one run up to the job's target. It calls done exactly once, after the outcome is
// committed or the commit has failed.
func (e *Engine) Run(ctx context.Context, job Job, done func(Outcome)) {
	env, err := job.Check(ctx, e.store, e.with.Launcher)
	if err != nil {
		done(Outcome{Err: err})
		return
	}
	rw, held, err := e.writer.Acquire(ctx, tracker.Claim{
		Spec: job.Spec, Start: job.Start, Fork: job.Fork, Target: job.Target, Name: job.Name, Tags: job.Tags,
		Retention: job.Keep, Session: e.build.session(),
	})
	if err != nil {
		done(Outcome{Err: err})
		return
	}
	cpu := processCPU()
	out, err := e.runTo(ctx, env, rw, held, job)
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = ErrInterrupted // there was nothing to save yet
	}
	finish := func(commit error) {
		if out.Err = err; err == nil {
			out.Err = commit
		}
		done(out)
	}
	if rw.Err() != nil { // the lease is lost, or nothing can be written
		finish(rw.Err())
		return
	}
	endSession(ctx, rw, cpu, err)
	if err == nil || errors.Is(err, ErrInterrupted) {
		rw.Release(finish)
		return
	}
	rw.Fail(err, finish)
}

// runTo executes iterations from the recorded ones to the target.
func (e *Engine) runTo(
	ctx context.Context, env pod.Env, rw *tracker.RunWriter, held tracker.RunState, job Job,
) (Outcome, error) {
	out := Outcome{
		Run: held.Run.ID, Iterations: held.Done, Resumed: held.Done, Head: held.Head,
		FromStore: held.Done > 0 || held.Checkpoint != nil,
	}
	if held.Done >= job.Target {
		return out, nil
	}
	p, err := e.loadRun(ctx, env, held.Run)
	if err != nil {
		return out, fmt.Errorf("load run %s: %w", held.Run.ID, err)
	}
	checkpoint, left := held.Checkpoint, newResumption(held)
	for p.k < job.Target {
		if err := e.iterate(ctx, p, rw, job, checkpoint, left); err != nil {
			return out, fmt.Errorf("iteration %d: %w", p.k, err)
		}
		out.Iterations, out.Head, checkpoint, left = p.k, p.link, nil, nil
	}
	return out, nil
}

// iterate executes the next iteration, from a checkpoint if there is one. left describes the
// session that left the run there.
func (e *Engine) iterate(
	ctx context.Context, p *runState, rw *tracker.RunWriter, job Job, checkpoint *tracker.Checkpoint, left *Resumption,
) error {
	keeper := &recorder{rw: rw, data: job.Data}
	it := newIteration(p, keeper, func(stage string, done, total int64) {
		if left != nil {
			left.At = tracker.Position{Stage: stage, Part: done, Parts: total}
		}
		e.with.report(Event{
			Run: p.run.ID, K: p.k, Target: job.Target, Stage: stage, Done: done, Total: total, Resumed: left,
		})
		left = nil
	})
	defer it.closeEnv() // its error adds nothing after a failure
	if checkpoint != nil {
		if err := it.restore(ctx, e.store, checkpoint); err != nil {
			return err
		}
		keeper.entries = checkpoint.Records
	}
	if err := it.execute(ctx); err != nil {
		return err
	}
	return keeper.commit(it)
}
