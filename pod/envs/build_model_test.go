package envs

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/podtrack/podtrack/schema"
)

// TestBuildModelStops: the model of a large ring is not completed once its caller has given up, and is made for who
// asks later.
func TestBuildModelStops(t *testing.T) {
	t.Parallel()
	for _, looks := range []int{0, 1, 20, 50} { // in each part of the work
		r := &Ring{Bits: 22}
		r.build = func(ctx context.Context) (*Model, error) { return newModel(ctx, r.States(), 2, r.Step) }
		ctx := &countedContext{Context: t.Context(), left: looks}
		if err := BuildModel(ctx, r); !errors.Is(err, context.Canceled) {
			t.Errorf("after %d looks: %v", looks, err)
		}
		if r.model != nil {
			t.Errorf("after %d looks there is a model", looks)
		}
	}
	r := &Ring{Bits: 10}
	r.build = func(ctx context.Context) (*Model, error) { return newModel(ctx, r.States(), 2, r.Step) }
	if err := BuildModel(&countedContext{Context: t.Context()}, r); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if m := r.Model(); m == nil || m.Next(0, 1) != 1 {
		t.Error("no model for who asks later")
	}
}

// countedContext is done after so many looks at it.
type countedContext struct {
	context.Context
	left int
}

func (c *countedContext) Err() error {
	if c.left--; c.left < 0 {
		return context.Canceled
	}
	return nil
}

// NewSimulated returns [NewEnv] for environments that are simulated here, as nearly all tests need.
func NewSimulated(e schema.Env) (SimulatedEnv, error) {
	env, err := NewEnv(e)
	if err != nil {
		return nil, err
	}
	simulated, ok := As[SimulatedEnv](env)
	if !ok {
		return nil, fmt.Errorf("environment %q is not simulated here", e.Name)
	}
	return simulated, nil
}
