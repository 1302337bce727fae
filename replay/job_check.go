package replay

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/replay/provenance"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/textfmt"
	"github.com/podtrack/podtrack/tracker"
)

// Advice of this package's errors.
const (
	AdviceChangedCode = "raise the version that the program declares, or say that its results " +
		"stay the same"
	AdviceChangedEnv = "continue run %s with what it was made with; or fork it before iteration %d with the program " +
		"as it is, as another run that shares the iterations"
	AdviceChangedSteps = "continue run %s with what it was made with; or fork it before iteration %d with another " +
		"seed, as another run that shares the iterations"
	AdviceChangedNew = "continue it with what it was made with, or make another run, with a seed of its own"
	AdviceImport     = "import data: the environment has no actions"
	AdviceListRuns   = "list the runs"
)

// CheckSpec puts a spec into its canonical form, and returns an error if no machine can make its runs. It checks what
// enters: flags, a file, a program's own spec.
func CheckSpec(spec *schema.Spec) (err error) {
	defer envs.CatchEnvPanic(&err)
	if err := spec.Validate(); err != nil {
		return err
	}
	env, err := pod.NewEnvForSpec(*spec)
	if err == nil {
		err = learn.CheckLearner(env, *spec)
	}
	return err
}

// CheckSpec checks the spec of a job that was read back, from a store or a file, and does what [Job.CheckData] does.
func (j Job) CheckSpec() error {
	canonical := j.Spec
	if err := CheckSpec(&canonical); err != nil {
		return err
	}
	if !reflect.DeepEqual(canonical, j.Spec) {
		return fmt.Errorf("%w: not in canonical form", schema.ErrSpec)
	}
	return j.CheckData()
}

// CheckData returns an error unless the job's environment needs imported data if, and only if, its spec names some, and
// leaves the job something to do. It does not depend on a store or on this machine's memory: a job may be planned here
// and run on a larger machine. The spec was checked before.
func (j Job) CheckData() error {
	_, err := j.newEnv()
	return err
}

// newEnv returns the job's environment, unless that leaves it nothing to do.
func (j Job) newEnv() (env envs.Env, err error) {
	defer envs.CatchEnvPanic(&err)
	env, err = pod.NewEnvForSpec(j.Spec)
	switch {
	case err != nil:
		return nil, err
	case envs.HasActions(env) && !j.Spec.Data.IsZero() && !envs.ActionsDetermineStates(env):
		return nil, schema.Hint(fmt.Errorf("%w: imported data in environment %q, where actions do not determine the "+
			"states", schema.ErrSpec, j.Spec.Env.Name),
			"import takes transitions of environments without chance and without episodes")
	case envs.HasActions(env):
		return env, nil
	case j.Spec.Data.IsZero():
		return nil, schema.Hint(fmt.Errorf("%w: environment %q without data", schema.ErrSpec, j.Spec.Env.Name),
			AdviceImport)
	case j.Target > 1:
		return nil, schema.Hint(fmt.Errorf("%d iterations in environment %q, which has no actions", j.Target,
			j.Spec.Env.Name),
			"it has only the iteration whose rows were imported")
	}
	return env, nil
}

// CheckJobs checks that jobs whose specs were checked can be executed in the store. Nothing is written for a job that
// fails the check. with has the external environment and stages of the jobs, if they have any.
func CheckJobs(ctx context.Context, store *tracker.Store, jobs []Job, with Options) (err error) {
	defer envs.CatchEnvPanic(&err)
	for _, j := range jobs {
		env, err := j.newEnv()
		if err == nil {
			err = recorded.CheckMemory(env, j.Spec)
		}
		if err != nil {
			return err
		}
	}
	done, err := checkStore(ctx, store, jobs)
	if err != nil {
		return err
	}
	for i, j := range jobs {
		if done[i] < j.Target && j.needsPrograms() {
			if err = j.checkPrograms(ctx, with); errors.Is(err, envs.ErrOtherVersion) {
				err = j.explainMismatch(ctx, store, with.Launcher, err)
			}
		}
		if err == nil && !with.ChangedCode {
			err = j.checkCode(ctx, store, with.CodeFor(j.Spec))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// checkStore returns the numbers of iterations that the jobs go on from, and an error if what one of them needs of the
// store is not there, or if its run exists and has another name. The jobs share transactions.
func checkStore(ctx context.Context, store *tracker.Store, jobs []Job) ([]int, error) {
	var done []int
	err := tracker.ViewEach(ctx, store, jobs, func(tx *tracker.Tx, j Job) error {
		k, err := j.checkInTx(tx)
		done = append(done, k)
		return err
	})
	if !errors.Is(err, tracker.ErrNoStore) {
		return done, err
	}
	for _, j := range jobs {
		if j.needsStoredData() {
			return nil, j.noDataError()
		}
	}
	return make([]int, len(jobs)), nil
}

// checkInTx does what checkStore does for one job.
func (j Job) checkInTx(tx *tracker.Tx) (k int, err error) {
	id, err := j.ID()
	if err != nil {
		return 0, err
	}
	if j.needsStoredData() {
		_, err = tx.ReadRun(id)
	}
	if err == nil {
		k, err = j.checkRecords(tx)
	}
	if err == nil && j.Name != "" {
		err = tx.CheckNewName(id, j.Name)
	}
	if j.needsStoredData() && errors.Is(err, tracker.ErrMissing) {
		return 0, j.noDataError()
	}
	return k, err
}

// noDataError returns the error of a job whose run has imported data that are not in the store.
func (j Job) noDataError() error {
	id, _ := j.ID() // of a valid spec
	return stages.NewNoDataError(fmt.Errorf("run %.7s has imported data, %.12s", id, j.Spec.Data))
}

// needsPrograms reports whether the run needs an external environment or external stages.
func (j Job) needsPrograms() bool { return j.Spec.Env.External != nil || j.Spec.Stages != nil }

// needsStoredData reports whether the run needs imported data that the job does not have. A fork shares the iteration
// with the data.
func (j Job) needsStoredData() bool { return !j.Spec.Data.IsZero() && j.Start == nil && j.Data == nil }

// errCodeChanged is the error of continuing a run with a program that has changed since the last session.
var errCodeChanged = errors.New("the program has changed")

// A codeChange is an error that a change of a program has caused.
type codeChange struct {
	text  string
	cause error
}

func (c *codeChange) Error() string { return c.text }
func (c *codeChange) Unwrap() error { return c.cause }

// newCodeChange returns the error err of going on from iteration k of a run: what changed stands in place of the text
// of kind. The advice is about a run that has iterations.
func newCodeChange(err, kind error, changes []provenance.Change, id schema.Digest, k int, advice string) error {
	if changes = provenance.Known(changes); len(changes) > 0 {
		now := fmt.Sprintf("%v: %s", errCodeChanged, textfmt.JoinWords(textfmt.Map(changes, provenance.Change.String)))
		err = &codeChange{strings.Replace(err.Error(), kind.Error(), now, 1), err}
	}
	if k == 0 {
		return schema.Hint(err, AdviceChangedNew)
	}
	return schema.Hint(err, advice, id.String()[:7], k)
}

// explainMismatch returns the error of an environment that is another version than the run's: what changed since work
// on the run was saved last, and how to go on.
func (j Job) explainMismatch(ctx context.Context, store *tracker.Store, launcher EnvLauncher, err error) error {
	_ = store.View(ctx, func(tx *tracker.Tx) error { // what cannot be read does not hide the error
		id, k, failed := j.startPoint(tx)
		if failed != nil {
			return failed
		}
		if changes, _ := EnvChanges(tx, id, j.Spec.Env, launcher); len(changes) > 0 {
			err = fmt.Errorf("run %.7s cannot continue from iteration %d: %w", id, k, envs.ErrOtherVersion)
			err = newCodeChange(err, envs.ErrOtherVersion, changes, id, k, AdviceChangedEnv)
		}
		return nil
	})
	return err
}

// EnvChanges returns what changed in the external environment of a run since work on it was saved last. The launcher
// has been asked for the environment.
func EnvChanges(
	tx *tracker.Tx, id schema.Digest, env schema.Env, launcher EnvLauncher,
) ([]provenance.Change, error) {
	program, ok := launcher.(CodeLauncher)
	if !ok {
		return nil, nil
	}
	before, err := tx.CodeOf(id)
	return provenance.Compare(before, &tracker.Code{Programs: []tracker.Program{program.Code(env)}}), err
}

// checkCode returns errCodeChanged if the run has steps left and files of its programs differ from those of the last
// session of the run that it continues. A run without records can start with changed programs: none of its results come
// from the old ones.
func (j Job) checkCode(ctx context.Context, store *tracker.Store, code *tracker.Code) error {
	if code == nil || len(code.Programs) == 0 {
		return nil
	}
	err := store.View(ctx, func(tx *tracker.Tx) error {
		id, k, err := j.startPoint(tx)
		if err != nil || k >= j.Target && !j.Open {
			return err
		}
		if checkpoint, err := tx.ReadCheckpoint(id); err != nil || k == 0 && checkpoint == nil {
			return err
		}
		changes, err := CompareCode(tx, id, code)
		changed := provenance.ChangedFiles(changes)
		if err != nil || len(changed) == 0 {
			return err
		}
		return schema.Hint(fmt.Errorf("run %.7s cannot continue from iteration %d: %w: %s",
			id, k, errCodeChanged, changed[0]), AdviceChangedCode)
	})
	if errors.Is(err, tracker.ErrNoStore) || errors.Is(err, tracker.ErrMissing) {
		return nil
	}
	return err
}

// CompareCode returns what differs between the code of a run's last session and code.
func CompareCode(tx *tracker.Tx, id schema.Digest, code *tracker.Code) ([]provenance.Change, error) {
	sessions, err := tx.ReadSessionRows(id)
	if err != nil || len(sessions) == 0 {
		return nil, err
	}
	return provenance.Compare(sessions[len(sessions)-1].Code, code), nil
}

// checkRecords returns the number of iterations that the run or fork continues from, and an error if a record of them
// that it needs was pruned: an earlier option, or the end of the last one.
func (j Job) checkRecords(tx *tracker.Tx) (k int, err error) {
	id, k, err := j.startPoint(tx)
	if err != nil || k >= j.Target {
		return k, err
	}
	its, err := tx.ReadIterations(id)
	if err != nil {
		return k, err
	}
	for i, it := range its[:min(k, len(its))] {
		if err := checkNotPruned(tx, it, i == k-1, i >= j.Spec.FirstAvailable(k), j.Spec); err != nil {
			return k, tracker.WithRepairHint(fmt.Errorf("run %.7s cannot continue from iteration %d: %w", id, k, err),
				id.String()[:12])
		}
	}
	return k, nil
}

// startPoint returns the run whose iterations the job continues, and their number.
func (j Job) startPoint(tx *tracker.Tx) (id schema.Digest, k int, err error) {
	if id, err = j.ID(); err != nil {
		return id, 0, err
	}
	if k, _, err = tx.ReadHead(id); err == nil && k == 0 && j.Fork != nil {
		return j.Fork.Parent, j.Fork.K, nil
	}
	return id, k, err
}

// checkNotPruned returns an error if a record of the iteration that later ones need was pruned: an
// option if they can call it, or, for the last iteration, its end and its accumulated data. If the
// transitions themselves accumulate, those of every iteration are needed.
func checkNotPruned(tx *tracker.Tx, it schema.Iteration, last, callable bool, spec schema.Spec) error {
	gathered := spec.Dataset == schema.Cumulative && !spec.Method.HasMatrix()
	for _, e := range it.Records {
		needed := false
		switch e.Kind {
		case schema.KindOption:
			needed = callable
		case schema.KindTransitions:
			needed = last || spec.AccumulatesTransitions() || stages.NeedsAllTransitions(spec)
		case schema.KindFactors:
			needed = last && gathered || stages.LearnsFromFactors(spec)
		}
		if needed && tx.Rows().IsPruned(e.Name) {
			return fmt.Errorf("%s record %.12s: %w", e.Kind, e.Name, tracker.ErrPruned)
		}
	}
	return nil
}

// checkPrograms returns an error if the external environment or stages of the job are not there.
func (j Job) checkPrograms(ctx context.Context, with Options) error {
	switch {
	case j.Spec.Env.External == nil, j.Spec.Stages.Of(schema.CollectStage) != nil: // its collector acts in the environment
	case with.Launcher == nil:
		return stages.NewNoLauncherError(j.Spec.Env)
	default:
		if err := with.Launcher.CheckEnv(ctx, j.Spec.Env); err != nil {
			return err
		}
	}
	switch {
	case j.Spec.Stages == nil:
		return nil
	case with.Stages == nil:
		return (&StageSet{}).CheckStages(ctx, j.Spec.Stages)
	}
	return with.Stages.CheckStages(ctx, j.Spec.Stages)
}

// CheckImport returns an error for an imported run whose environment this program does not know,
// or for a fork in which the environment changes.
func CheckImport(run tracker.Run) error {
	if _, err := pod.NewEnvForSpec(run.Spec); err != nil {
		return err
	}
	for _, a := range run.Ancestors {
		same := reflect.DeepEqual(a.Spec.Env, run.Spec.Env) || a.Spec.Env.IsVersionOf(run.Spec.Env)
		if !same || a.Spec.Dataset != run.Spec.Dataset || a.Spec.Method != run.Spec.Method {
			return fmt.Errorf("%w: before iteration %d the fork has another environment, dataset or method",
				schema.ErrSpec, a.Until)
		}
	}
	return nil
}
