package replay

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// FixedInForks returns the fields of a spec that a fork cannot change: those that determine the transitions of every
// iteration, or a matrix that each iteration continues from the one before.
func FixedInForks(spec schema.Spec) []string {
	fixed := []string{"env", "numerics", "dataset", "data", "method", "state_set", "psi_gamma"}
	if spec.Dataset == schema.Cumulative && spec.Method.HasDiscount() && spec.PsiGamma == 0 {
		fixed = append(fixed, "gamma") // the continued matrix was learned with it
	}
	return append(fixed, spec.Env.Parameters()...)
}

// Fork returns a job for a run that shares the first k iterations of r, at least one, and continues with another spec,
// to the target of r. The error wraps [schema.ErrSpec] if spec changes a field that the shared iterations depend on
// ([FixedInForks]), or changes nothing.
func (r *Run) Fork(ctx context.Context, k int, spec schema.Spec) (Job, error) {
	if k < 1 || k > r.Iterations {
		return Job{}, schema.Hint(fmt.Errorf("a fork before iteration %d of run %s: %w", k, r.Label(), tracker.ErrMissing),
			"it has %d iterations; share at least one and at most all of them", r.Iterations)
	}
	if err := spec.Validate(); err != nil {
		return Job{}, err
	}
	parent, err := r.Store().findID(ctx, r.ID) // not r.Spec, whose maps the caller may have changed
	if err != nil {
		return Job{}, err
	}
	for _, name := range FixedInForks(parent.Spec) {
		before, _ := parent.Spec.Get(name)
		if now, _ := spec.Get(name); now != before {
			return Job{}, schema.Hint(fmt.Errorf("%w: a fork with %s %s, where run %s has %s", schema.ErrSpec, name, now,
				r.Label(), before), "the shared iterations depend on it; start a new run")
		}
	}
	if !reflect.DeepEqual(spec.Env, parent.Spec.Env) ||
		!spec.Stages.Of(schema.MethodStage).Equal(parent.Spec.Stages.Of(schema.MethodStage)) {
		return Job{}, schema.Hint(fmt.Errorf("%w: a fork cannot change the environment or the method of run %s",
			schema.ErrSpec, r.Label()), "the shared iterations depend on it; start a new run")
	}
	ancestors := parent.AncestorsBefore(k)
	if reflect.DeepEqual(spec, ancestors[len(ancestors)-1].Spec) {
		return Job{}, schema.Hint(fmt.Errorf("%w: this fork of run %s changes nothing", schema.ErrSpec, r.Label()),
			"continue the run itself")
	}
	records, err := r.Records(ctx)
	if err != nil {
		return Job{}, err
	}
	if n := len(spec.LeaveOut); n > 0 {
		options := records.FirstNumber(len(records.Iterations))
		if last := spec.LeaveOut[n-1]; last >= uint64(options) {
			return Job{}, schema.Hint(fmt.Errorf("%w: a fork that leaves out option %d of run %s", schema.ErrSpec, last,
				r.Label()), "it has %d, counted from 0", options)
		}
	}
	spec.LeaveOut = slices.Clone(spec.LeaveOut)
	return Job{
		Spec: spec, Start: &records.Iterations[k-1].Link, Fork: &tracker.Fork{Parent: r.ID, K: k},
		Target: max(r.Target, k+1),
	}, nil
}
