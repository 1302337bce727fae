package replay

import (
	"context"
	"errors"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// ErrInterrupted is the error of work that stopped on request. The run's state has been saved.
var ErrInterrupted = stages.ErrInterrupted

// The stages of an iteration, as events and differences name them.
const (
	StageCollect = stages.Collect
	StageFactor  = stages.Factor
	StageSelect  = stages.Select
	StageLearn   = stages.Learn
	StageMeasure = stages.Measure
)

// Options are what the execution and the verification of runs take beside their store.
type Options struct {
	Launcher EnvLauncher   // launches external environments, nil if there is none to launch
	Stages   StageLauncher // has external stages, nil if there are none
	Report   func(Event)   // receives progress, perhaps from several goroutines; nil for nobody

	// Code is the code beside this program, recorded with the sessions; nil for none. That of the
	// launcher's program is added to it.
	Code *tracker.Code
	// ChangedCode is whether runs go on although files of their programs differ from those of the session before. Without
	// it that is [ErrCodeChanged].
	ChangedCode bool
}

func (o Options) report(e Event) {
	if o.Report != nil {
		o.Report(e)
	}
}

// Job is one run and its target.
type Job struct {
	Spec   schema.Spec
	Start  *schema.Digest // link at which a fork starts, nil for an independent run
	Fork   *tracker.Fork  // how to create the fork if it does not exist
	Target int            // iterations; a higher target that the run already has is kept
	// Open is true to go on beyond the target until what collects says that there are no more iterations
	// ([pod.ErrCollectedAll]). It is asked for the next one only when the one before is on the disk.
	Open bool
	Name string             // set on the run unless empty
	Tags []string           // added to the run's tags
	Keep *tracker.Retention // what is kept of the run from now on, nil for what was chosen before
	Data [][]byte           // imported records of iteration 0, nil for those in the store
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
	Changes    []provenance.Change // of a run that was complete: what differs between the code of its last session and now
	Err        error
}

// Event reports a run's progress: Done of Total units of a stage of iteration K.
type Event struct {
	Run         schema.Digest // its ID
	K           int           // iteration
	Target      int           // iterations to reach
	Stage       string        // one of the stages
	Done, Total int64         // units, which each stage defines

	Resumed  *Resumption // in the first event of a resumed run
	Learning *Learning   // in events of StageLearn
}

// Learning is what an iteration learns its options by.
type Learning struct {
	Spec     schema.Spec
	States   int // that are known
	Unknowns int // of the weights or values of an option, at most
}

// forEnv returns the options without a launcher that launches another environment: several runs
// may have different ones.
func (o Options) forEnv(ctx context.Context, env schema.Env) (Options, error) {
	if o.Launcher == nil || env.External == nil {
		return o, nil
	}
	err := o.Launcher.CheckEnv(ctx, env)
	if errors.Is(err, envs.ErrEnvMismatch) {
		o.Launcher, err = nil, nil
	}
	return o, err
}

// learningOf returns what iteration k learns its options by, nil in other stages.
func learningOf(p *stages.State, stage string) *Learning {
	if stage != stages.Learn {
		return nil
	}
	spec := p.Spec()
	return &Learning{Spec: spec, States: p.Env.States(), Unknowns: learn.CountUnknowns(p.Env, spec)}
}
