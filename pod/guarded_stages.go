package pod

import (
	"context"

	"github.com/podtrack/podtrack/schema"
)

// Guarded returns the functions with their panics as errors, [PanicError]s. It is for functions that do not belong to
// podtrack.
func (f StageFuncs) Guarded() StageFuncs {
	g := StageFuncs{}
	if f.Collect != nil {
		g.Collect = func(ctx context.Context, in CollectInput) (out CollectOutput, err error) {
			defer catchPanic(&err)
			return f.Collect(ctx, in)
		}
	}
	if f.Method != nil {
		g.Method = func(ctx context.Context, in MethodInput) (out MethodOutput, err error) {
			defer catchPanic(&err)
			return f.Method(ctx, in)
		}
	}
	if f.Select != nil {
		g.Select = func(ctx context.Context, in SelectInput) (directions []schema.Direction, err error) {
			defer catchPanic(&err)
			return f.Select(ctx, in)
		}
	}
	if f.Learn != nil {
		g.Learn = func(ctx context.Context, in LearnInput) (learned schema.ValueFunction, err error) {
			defer catchPanic(&err)
			return f.Learn(ctx, in)
		}
	}
	if f.Measure != nil {
		g.Measure = func(ctx context.Context, in MeasureInput) (measured schema.ExternalMeasures, err error) {
			defer catchPanic(&err)
			return f.Measure(ctx, in)
		}
	}
	if f.Close != nil {
		g.Close = func() (err error) {
			defer catchPanic(&err)
			return f.Close()
		}
	}
	return g
}
