package replay

import (
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Records are the recorded iterations of a run, from which the views of it are made. Each of its
// functions reads in transactions of its own.
type Records struct {
	Run        tracker.Run
	Env        pod.Env // with all observations that are recorded
	Iterations []schema.Iteration

	view func(func(*tracker.Tx) error) error
}

// ReadRecords reads which records a run has, and its environment, in a transaction that view opens
// and closes.
func ReadRecords(view func(func(*tracker.Tx) error) error, run tracker.Run) (*Records, error) {
	r := &Records{Run: run, view: view}
	err := view(func(tx *tracker.Tx) (err error) {
		if r.Env, err = LoadEnv(tx, run); err == nil {
			r.Iterations, err = tx.ReadIterations(run.ID)
		}
		return err
	})
	return r, err
}

// With returns the records as another function reads them, which opens and closes transactions.
func (r *Records) With(view func(func(*tracker.Tx) error) error) *Records {
	other := *r
	other.view = view
	return &other
}

// EnvAfter returns the environment as it was known after iteration k.
func (r *Records) EnvAfter(k int) (pod.Env, error) { return EnvAfter(r.Env, r.Iterations, k, r.view) }

// Factors reads the factors of iteration k.
func (r *Records) Factors(k int) (f schema.Factors, err error) {
	err = r.view(func(tx *tracker.Tx) error {
		name, err := r.Iterations[k].OnlyRecord(schema.KindFactors)
		if err == nil {
			f, err = tracker.Load(tx, name, schema.DecodeFactors)
		}
		if err == nil && !pod.FitsFeatures(r.Env, f.Features()) {
			err = fmt.Errorf("record %s: %w: factors of %d features", name, schema.ErrMalformed, f.Features())
		}
		return err
	})
	return f, err
}

// Purposes returns the signed purposes that iteration k selected from its factors.
func (r *Records) Purposes(k int, f schema.Factors) (purposes []schema.Purpose, err error) {
	err = r.view(func(tx *tracker.Tx) error {
		purposes, err = LoadPurposes(tx, r.Run.SpecAt(k), k, r.Iterations[k], f)
		return err
	})
	return purposes, err
}

// LearnerEnv returns the environment as the learner of iteration k knew it, like [LoadLearnerEnv], env
// being the one after the iteration.
func (r *Records) LearnerEnv(env pod.Env, k int) (pod.ModelEnv, error) {
	return LoadLearnerEnv(r.view, env, r.Run, r.Iterations, k)
}
