package replay

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// FixedInForks returns the fields of a spec that a fork cannot change: those that determine the recorded
// transitions of every iteration, or a matrix that goes on from one to the next.
func FixedInForks(spec schema.Spec) []string {
	fixed := []string{"env", "numerics", "dataset", "data", "method", "state_set", "psi_gamma"}
	if spec.Dataset == schema.Cumulative && spec.Method.HasDiscount() && spec.PsiGamma == 0 {
		fixed = append(fixed, "gamma") // with which the matrix that goes on was learned
	}
	return append(fixed, spec.Env.Parameters()...)
}

// Fork returns the job of a run that shares the first k iterations of r, at least one, and goes on with
// another spec from there, to the target of r. The error wraps [schema.ErrSpec] if spec differs in what
// the shared iterations were made with ([FixedInForks]), or does not differ at all.
func (r *Run) Fork(ctx context.Context, k int, spec schema.Spec) (Job, error) {
	if k < 1 || k > r.Iterations {
		return Job{}, schema.Hint(fmt.Errorf("a fork before iteration %d of run %s: %w", k, r.Label(), tracker.ErrMissing),
			"it has %d; share at least one and at most all of them", r.Iterations)
	}
	if err := spec.Validate(); err != nil {
		return Job{}, err
	}
	parent, err := r.Store().findID(ctx, r.ID) // maps of r's spec may have been changed
	if err != nil {
		return Job{}, err
	}
	for _, name := range FixedInForks(parent.Spec) {
		before, _ := parent.Spec.Get(name)
		if now, _ := spec.Get(name); now != before {
			return Job{}, schema.Hint(fmt.Errorf("%w: a fork with %s %s, where run %s has %s", schema.ErrSpec, name, now,
				r.Label(), before), "what is shared was made with it; make a run of its own")
		}
	}
	if !reflect.DeepEqual(spec.Env, parent.Spec.Env) ||
		!spec.Stages.Of(schema.MethodStage).Equal(parent.Spec.Stages.Of(schema.MethodStage)) {
		return Job{}, schema.Hint(fmt.Errorf("%w: a fork in another environment, or with another method, than run %s",
			schema.ErrSpec, r.Label()), "what is shared was made with it; make a run of its own")
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
