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

// ErrInterrupted says that work stopped because it was asked to. A run's state
// is saved then.
var ErrInterrupted = errors.New("interrupted")

// Engine executes runs into a store.
type Engine struct {
	store  *tracker.Store
	writer *tracker.Writer
	report func(Event)
	build  Build
}

// Job is one run and how far it shall go.
type Job struct {
	Spec   schema.Spec
	Start  *schema.Digest     // link that a fork begins at, nil for a run of its own
	Fork   *tracker.Fork      // how to make a fork that is not there
	Target int                // iterations; a higher target that the run already has stays
	Name   string             // given to the run unless empty
	Tags   []string           // given to the run, beside those that it has
	Keep   *tracker.Retention // what is kept of the run from now on, nil for what was said before
	Data   [][]byte           // records that iteration 0 is given instead of walking, nil for those in the store
}

// ID is that of the job's run.
func (j Job) ID() (schema.Digest, error) { return schema.RunID(j.Spec, j.Start) }

// Outcome is where a run stood when the engine left it, all of it committed.
type Outcome struct {
	Run        schema.Digest
	Iterations int
	Resumed    int  // iterations that were there already
	FromStore  bool // something of the iterations was there already, if only a checkpoint
	Head       schema.Digest
	Err        error
}

// Event is a run's progress: Done of Total units of a stage of iteration K.
type Event struct {
	Run         schema.Digest
	K           int
	Target      int
	Stage       string
	Done, Total int64

	Resumed *Resumption // in the first event of a run that goes on
}

// The stages, as events and costs name them.
const (
	StageCollect = "collect"
	StageFactor  = "factor"
	StageSelect  = "select"
	StageLearn   = "learn"
	StageMeasure = "measure"
)

// Stages in the order in which an iteration goes through them.
var Stages = []string{StageCollect, StageFactor, StageSelect, StageLearn, StageMeasure}

// StageKinds are the kinds of records that a stage makes. Selecting by σ > κ leaves none.
var StageKinds = map[string][]schema.Kind{
	StageCollect: {schema.KindObservations, schema.KindTransitions, schema.KindRows},
	StageFactor:  {schema.KindFactors},
	StageSelect:  {schema.KindSelection},
	StageLearn:   {schema.KindValue, schema.KindTheta, schema.KindOption},
	StageMeasure: {schema.KindMeasures},
}

// NewEngine makes an engine over store that commits through w, a writer of it,
// and reports progress to report, which may be called from several goroutines,
// or be nil.
func NewEngine(store *tracker.Store, w *tracker.Writer, report func(Event)) *Engine {
	if report == nil {
		report = func(Event) {}
	}
	return &Engine{store: store, writer: w, report: report, build: ReadBuild()}
}

// RunAll executes jobs, up to parallel at once, each asked for when its turn comes, and hands each outcome to done
// once it is committed. done may be called from several goroutines. An error in
// one run does not stop the others; a done context stops them all.
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
				return nil // ctx is done before the run was begun
			}
			defer leave()
			e.Run(ctx, job, func(o Outcome) { done(job, o) })
			return nil
		})
	}
	_ = g.Wait() // no job returns an error: outcomes carry them
}

// Run takes one run as far as its job says. It calls done exactly once, when the
// outcome is committed or cannot be.
func (e *Engine) Run(ctx context.Context, job Job, done func(Outcome)) {
	env, err := job.Check(ctx, e.store)
	if err != nil {
		done(Outcome{Err: err})
		return
	}
	rw, held, err := e.writer.Acquire(ctx, tracker.Claim{Spec: job.Spec, Start: job.Start, Fork: job.Fork, Target: job.Target, Name: job.Name, Tags: job.Tags, Retention: job.Keep, Session: e.build.session()})
	if err != nil {
		done(Outcome{Err: err})
		return
	}
	cpu := processCPU()
	out, err := e.runTo(ctx, env, rw, held, job)
	if err != nil && ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		err = ErrInterrupted // before there was anything to save
	}
	finish := func(commit error) {
		if out.Err = err; err == nil {
			out.Err = commit
		}
		done(out)
	}
	if rw.Err() != nil { // the run is not ours any more, or nothing can be written
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

// walk goes from the recorded prefix to the target.
func (e *Engine) runTo(ctx context.Context, env pod.Env, rw *tracker.RunWriter, held tracker.RunState, job Job) (Outcome, error) {
	out := Outcome{Run: held.Run.ID, Iterations: held.Done, Resumed: held.Done, Head: held.Head, FromStore: held.Done > 0 || held.Checkpoint != nil}
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

// iterate makes the next iteration, from a checkpoint where there is one. left is what
// is known of the session that left the run there.
func (e *Engine) iterate(ctx context.Context, p *runState, rw *tracker.RunWriter, job Job, checkpoint *tracker.Checkpoint, left *Resumption) error {
	keeper := &recorder{rw: rw, data: job.Data}
	it := newIteration(p, keeper, func(stage string, done, total int64) {
		if left != nil {
			left.At = tracker.Position{Stage: stage, Part: done, Parts: total}
		}
		e.report(Event{Run: p.run.ID, K: p.k, Target: job.Target, Stage: stage, Done: done, Total: total, Resumed: left})
		left = nil
	})
	defer it.closeEnv() // after a failure, of which that is no part
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
