package pod

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/schema"
)

// An OptionLearner learns options for purposes, by any of the learners, one after the
// other in the same memory.
type OptionLearner interface {
	// Learn returns the option for a purpose and what its policy was taken from, which
	// is valid until the next call.
	Learn(ctx context.Context, p schema.Purpose) (*schema.Option, schema.ValueFunction, error)
	// Conclude returns the option that follows from a purpose and what was learned for it.
	Conclude(p schema.Purpose, l schema.ValueFunction) (*schema.Option, error)
}

// newLearnerError returns the error of a learner in an environment that is not for it.
func newLearnerError(spec schema.Spec, why string, advice schema.Advice, values ...any) error {
	return schema.Advise(fmt.Errorf("%w: learner %s in environment %q, %s", schema.ErrSpec, spec.Learner,
		spec.Env.Name, why), advice, values...)
}

// valueOf returns the value table in l, or an error unless it has the given number of
// states.
func valueOf(l schema.ValueFunction, states int) (schema.Value, error) {
	v, ok := l.(schema.Value)
	if !ok || len(v) != states {
		return nil, fmt.Errorf("%w: a %s record where values of %d states belong", schema.ErrMalformed, l.Kind(),
			states)
	}
	return v, nil
}
