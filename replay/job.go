package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/groupcommit"
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

// Options configure how runs are executed and verified.
type Options struct {
	Launcher EnvLauncher   // launches external environments; nil for none
	Stages   StageLauncher // provides external stages; nil for none
	Report   func(Event)   // receives progress, perhaps from several goroutines; may be nil

	// Code describes the code that works on runs beside this program, and is recorded with each session; nil for none.
	// The launcher's programs are added to it.
	Code *tracker.Code
	// ChangedCode lets runs continue although the files of their programs have changed since the last session. Without
	// it they fail with errCodeChanged.
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
	// Open continues the run beyond its target until the collector returns [pod.ErrCollectedAll]. The collector is
	// asked for an iteration only after the previous one is on disk.
	Open bool

	// Unfinished says whether more iterations are to follow those of the job, so that the run is not complete with them;
	// nil leaves it as it was said before. The run of an open job is unfinished until its collector ends it.
	Unfinished *bool
	Failure    string     // why what makes the iterations of an unfinished run has failed, "" if it has not
	Name       string     // set on the run unless empty
	Tags       []string   // added to the run's tags
	Keep       *Retention // retention from now on; nil to leave it as it is
	Data       [][]byte   // imported records of iteration 0, nil for those in the store
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
	Changes    []provenance.Change // of code since the last session, if the run was complete
	Err        error
}

// Event reports a run's progress: Done of Total units of a stage of iteration K.
type Event struct {
	Run         schema.Digest // its ID
	K           int           // iteration
	Target      int           // iterations to reach
	Stage       string        // one of the stages
	Done, Total int64         // units, which each stage defines

	Resumed *Resumption // in the first event of a resumed run
}

// checkEnv returns an error that wraps [stages.ErrNoEnvLauncher] unless the launcher launches the environment: the runs
// of a store, and the iterations of a fork, may have different ones.
func (o Options) checkEnv(ctx context.Context, env schema.Env) error {
	if o.Launcher == nil {
		return stages.NewNoLauncherError(env)
	}
	err := o.Launcher.CheckEnv(ctx, env)
	if errors.Is(err, envs.ErrEnvMismatch) {
		err = fmt.Errorf("%w, and %w", stages.NewNoLauncherError(env), err)
	}
	return err
}

// RunJobs executes jobs that [CheckJobs] has accepted in an existing store, at most parallel at once. It returns the
// outcomes of the jobs that began, in the order of jobs, and the first error. It commits through a writer of its own,
// which closeWriter closes.
func RunJobs(
	ctx context.Context, store *tracker.Store, jobs []Job, parallel int, with Options,
	closeWriter func(*groupcommit.Writer) error,
) ([]Outcome, error) {
	byID := map[schema.Digest]Outcome{}
	var mu sync.Mutex
	var first error
	writer := groupcommit.Start(ctx, store)
	engine := NewEngine(store, writer, with)
	engine.checked = true
	engine.RunAll(ctx, slices.Values(jobs), parallel, func(_ Job, o Outcome) {
		mu.Lock()
		defer mu.Unlock()
		byID[o.Run] = o
		if first == nil || errors.Is(first, ErrInterrupted) {
			first = cmp.Or(o.Err, first)
		}
	})
	err := closeWriter(writer)
	if err == nil && ctx.Err() != nil && len(byID) < len(jobs) {
		err = stages.InterruptedBy(ctx) // before every job began
	}
	var outcomes []Outcome
	for _, j := range jobs {
		if id, err := j.ID(); err == nil {
			if o, ok := byID[id]; ok {
				outcomes = append(outcomes, o)
			}
		}
	}
	return outcomes, cmp.Or(first, err)
}
