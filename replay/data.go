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

// ErrNoData is the error of a run whose imported data are missing, or differ from those that its
// spec names.
var ErrNoData = errors.New("the spec's data are missing")

// Check checks that the job can be executed in the store, and returns its environment. Nothing is
// written for a job that fails the check. launcher is that of external environments, or nil.
func (j Job) Check(ctx context.Context, store *tracker.Store, launcher EnvLauncher) (pod.Env, error) {
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
		err = j.checkEnv(ctx, store, launcher)
	}
	return env, err
}

// CheckSpec checks what does not depend on a store or on this machine's memory: a job may be
// planned here and run on a larger machine.
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
		return nil, schema.Hint(fmt.Errorf("%w: imported data in environment %q, where actions do not determine the "+
			"states", schema.ErrSpec, j.Spec.Env.Name),
			"import takes transitions of environments without chance and without episodes")
	case pod.HasActions(env):
		return env, nil
	case j.Spec.Data.IsZero():
		return nil, schema.Advise(fmt.Errorf("%w: environment %q without data", schema.ErrSpec, j.Spec.Env.Name),
			AdviceImport)
	case j.Target > 1:
		return nil, schema.Hint(fmt.Errorf("%d iterations in environment %q, which has no actions", j.Target,
			j.Spec.Env.Name),
			"it has only the iteration whose rows were imported")
	}
	return env, nil
}

// checkData returns an error if the run needs imported data and the job has none. A fork shares
// the iteration with the data.
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
		return newNoDataError(fmt.Errorf("run %.7s has imported data, %.12s", id, j.Spec.Data))
	}
	return err
}

func newNoDataError(err error) error {
	return schema.Advise(fmt.Errorf("%w: %w", err, ErrNoData), AdviceImportFirst)
}

// isImported reports whether the iteration uses imported data instead of collecting transitions.
func (it *iteration) isImported() bool {
	return it.runState.k == 0 && !it.runState.spec().Data.IsZero()
}

// collectImported replaces the collect stage if the iteration has imported data. It does not check
// the context in between: a checkpoint holds all of the data or none.
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

// addImported adds a record of the imported data.
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

// addChunk adds imported transitions. They need not start in the environment's start state.
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

// verifyImported compares the imported data with the digest and the number of steps in the spec.
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
