package replay

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// ErrNoData says that what iteration 0 is to be given instead of walking is not
// there, or is not what the spec names.
var ErrNoData = errors.New("the spec's data are not there")

// Check says whether the job can be done in a store, and returns its environment.
// Nothing is written for a job that fails it.
func (j Job) Check(ctx context.Context, store *tracker.Store) (pod.Env, error) {
	env, err := j.CheckSpec()
	if err == nil {
		err = checkMemory(env, j.Spec)
	}
	if err == nil && !j.Spec.Data.IsZero() {
		err = j.checkData(ctx, store)
	}
	if err == nil {
		err = j.checkRecords(ctx, store)
	}
	if err == nil && j.Spec.Env.External != nil {
		err = j.checkEnv(ctx, store)
	}
	return env, err
}

// CheckSpec is what of Check concerns neither a store nor this machine: a job may be
// planned here for a larger one.
func (j Job) CheckSpec() (pod.Env, error) {
	env, err := pod.NewEnvForSpec(j.Spec)
	if err == nil {
		err = pod.CheckLearner(env, j.Spec)
	}
	if canonical := j.Spec; err == nil {
		if err = canonical.Validate(); err == nil && !reflect.DeepEqual(canonical, j.Spec) {
			err = fmt.Errorf("%w: not in its canonical form", schema.ErrSpec)
		}
	}
	switch {
	case err != nil:
		return nil, err
	case pod.HasActions(env) && !j.Spec.Data.IsZero() && !pod.ActionsDetermineStates(env):
		return nil, schema.Hint(fmt.Errorf("%w: data recorded elsewhere in environment %q, where actions do not determine the states", schema.ErrSpec, j.Spec.Env.Name),
			"import takes transitions of environments without chance and without episodes")
	case pod.HasActions(env):
		return env, nil
	case j.Spec.Data.IsZero():
		return nil, schema.Hint(fmt.Errorf("%w: environment %q without data", schema.ErrSpec, j.Spec.Env.Name),
			"nobody can walk in it; podtrack import --npz FILE makes a run of it")
	case j.Target > 1:
		return nil, schema.Hint(fmt.Errorf("%d iterations in environment %q, where nobody can walk", j.Target, j.Spec.Env.Name),
			"it has the one iteration whose rows were imported")
	}
	return env, nil
}

// expectData refuses to make a run whose data nobody gives. A fork shares the
// iteration that was given them.
func (j Job) checkData(ctx context.Context, store *tracker.Store) error {
	if j.Start != nil || j.Data != nil {
		return nil
	}
	id, err := j.ID()
	if err != nil {
		return err
	}
	err = store.View(ctx, func(tx *tracker.Tx) error {
		_, err := tx.ReadRun(id)
		return err
	})
	if errors.Is(err, tracker.ErrMissing) || errors.Is(err, tracker.ErrNoStore) {
		return newNoDataError(fmt.Errorf("run %.7s is of data recorded elsewhere, %.12s", id, j.Spec.Data))
	}
	return err
}

func newNoDataError(err error) error {
	return schema.Hint(fmt.Errorf("%w: %w", err, ErrNoData), "import them first: podtrack import --npz FILE --spec SPEC, with this run's spec")
}

// isGiven says that the iteration is given data instead of walking.
func (it *iteration) isImported() bool {
	return it.runState.k == 0 && !it.runState.spec().Data.IsZero()
}

// take is the collect stage of an iteration that is given its data. It does not
// look at the context in between: a checkpoint has all of the data or nothing.
func (it *iteration) collectImported() error {
	for {
		it.report(StageCollect, it.stats.Steps(), it.runState.spec().Steps)
		record, err := it.sink.imported(len(it.data))
		if err != nil {
			return err
		}
		if record == nil {
			return it.verifyImported()
		}
		kind, err := it.addImported(record)
		if err != nil {
			return err
		}
		if err := it.sink.put(StageCollect, len(it.data)-1, kind, record); err != nil {
			return err
		}
	}
}

// accept goes on with a record of the data, given now or recorded before.
func (it *iteration) addImported(record []byte) (schema.Kind, error) {
	head, _, err := schema.ReadHeader(record)
	if err != nil {
		return "", err
	}
	if head.Kind == schema.KindRows {
		err = it.addRows(record)
	} else {
		err = it.addChunk(record)
	}
	it.data = append(it.data, schema.Entry{Kind: head.Kind, Name: schema.Name(record)})
	it.chunks++
	return head.Kind, err
}

func (it *iteration) addRows(record []byte) error {
	rows, err := schema.DecodeRows(record)
	if err != nil {
		return err
	}
	return it.stats.AddRows(&rows)
}

// acceptChunk walks given transitions. They need not begin where a run does.
func (it *iteration) addChunk(record []byte) error {
	t, err := schema.DecodeTransitions(record)
	if err != nil {
		return err
	}
	if len(it.data) == 0 {
		if it.stats, err = it.runState.newRecordedStats(&t); err != nil {
			return err
		}
	}
	if err := it.stats.Add(&t); err != nil {
		return err
	}
	it.agent.State = it.stats.State()
	it.beginChunk()
	return nil
}

// proveData holds what was given to the digest and the number of steps in the
// spec.
func (it *iteration) verifyImported() error {
	spec := it.runState.spec()
	digest, err := schema.DataDigest(it.data)
	if err != nil {
		return err
	}
	if digest != spec.Data || it.stats.Steps() != spec.Steps {
		return newNoDataError(fmt.Errorf("%d steps in %d records of digest %.12s, for %d steps of digest %.12s",
			it.stats.Steps(), len(it.data), digest, spec.Steps, spec.Data))
	}
	return nil
}
