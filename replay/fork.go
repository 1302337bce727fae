package replay

import (
	"context"
	"fmt"
	"reflect"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Advice of the errors of forks.
const (
	AdviceForkNewRun = "the shared iterations depend on it; start a new run"
	AdviceForkRange  = "it has %d iterations; share at least one and at most all of them"
	AdviceForkSame   = "continue run %s itself"
)

// FixedInForks returns the fields of a spec that a fork cannot change. They determine the transitions of every
// iteration, or a matrix that every iteration updates.
func FixedInForks(spec schema.Spec) []string {
	fixed := []string{"env", "numerics", "dataset", "data", "method", "state_set", "psi_gamma", "psi_passes", "psi_part"}
	if spec.Dataset == schema.Cumulative && spec.Method.HasDiscount() && spec.PsiGamma == 0 {
		fixed = append(fixed, "gamma") // the matrix was learned with it
	}
	return append(fixed, spec.Env.Parameters()...)
}

// Fork returns a job for a new run, which shares the first k iterations of r (at least one) and continues with another
// spec up to the target of r. The error wraps [schema.ErrSpec] if spec changes nothing, or changes a field that the
// shared iterations depend on (see [FixedInForks]). [Store.Run] checks the spec.
func (r *Run) Fork(ctx context.Context, k int, spec schema.Spec) (Job, error) {
	if k < 1 || k > r.Iterations {
		return Job{}, schema.Hint(fmt.Errorf("cannot fork run %s before iteration %d: %w", r.Label(), k,
			tracker.ErrMissing), AdviceForkRange, r.Iterations)
	}
	spec.LeaveOut = slices.Clone(spec.LeaveOut)
	spec.Normalize()                                  // what it changes is compared; [Store.Run] checks it
	parent, err := r.Store().Find(ctx, r.ID.String()) // not r.Spec, whose maps the caller may have changed
	if err != nil {
		return Job{}, err
	}
	if err := parent.checkFork(k, spec); err != nil {
		return Job{}, err
	}
	records, err := r.Records(ctx)
	if err != nil {
		return Job{}, err
	}
	if n := len(spec.LeaveOut); n > 0 {
		options := records.FirstNumber(len(records.Iterations))
		if last := spec.LeaveOut[n-1]; last >= uint64(options) {
			return Job{}, schema.Hint(fmt.Errorf("%w: run %s has no option %d to leave out", schema.ErrSpec, r.Label(),
				last), "it has %d options, counted from 0", options)
		}
	}
	return Job{
		Spec: spec, Start: &records.Iterations[k-1].Link, Fork: &tracker.Fork{Parent: r.ID, K: k},
		Target: max(r.Target, k+1),
	}, nil
}

// checkFork returns an error unless spec changes something that a fork of r after k iterations can change.
func (r *Run) checkFork(k int, spec schema.Spec) error {
	for _, name := range FixedInForks(r.Spec) {
		before, _ := r.Spec.Get(name)
		if now, _ := spec.Get(name); now != before {
			return schema.Hint(fmt.Errorf("%w: a fork cannot change %s: run %s has %s, not %s", schema.ErrSpec, name,
				r.Label(), before, now), AdviceForkNewRun)
		}
	}
	if !reflect.DeepEqual(spec.Env, r.Spec.Env) && !spec.Env.IsVersionOf(r.Spec.Env) ||
		!spec.Stages.Of(schema.MethodStage).Equal(r.Spec.Stages.Of(schema.MethodStage)) {
		return schema.Hint(fmt.Errorf("%w: a fork cannot change the environment or the method of run %s",
			schema.ErrSpec, r.Label()), AdviceForkNewRun)
	}
	ancestors := r.AncestorsBefore(k)
	last, name := ancestors[len(ancestors)-1], r.Label()
	if !reflect.DeepEqual(spec, last.Spec) {
		return nil
	}
	if id, err := last.ID(); err == nil && id != r.ID {
		name = id.String()[:12]
	}
	return schema.Hint(fmt.Errorf("%w: this fork of run %s changes nothing", schema.ErrSpec, r.Label()), AdviceForkSame,
		name)
}
