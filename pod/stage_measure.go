package pod

import (
	"context"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// A MeasureFunc measures an iteration, beside the built-in measures. It returns a finite number for each of the
// measures that the stage declares, nil or nothing for one that is undefined. It is called last in an iteration.
type MeasureFunc = StageFunc[MeasureInput, schema.ExternalMeasures]

// MeasureInput is what a function that measures is given.
type MeasureInput struct {
	Spec     schema.Spec
	K        int // iteration
	Measures schema.Measures
}

// MeasureExternally returns the measures of an external program or function, under all names that it declares.
func MeasureExternally(ctx context.Context, measure MeasureFunc, in MeasureInput) (schema.ExternalMeasures, error) {
	measured, err := MeasureStage.call(ctx, measure, in,
		func(m schema.ExternalMeasures) error { return CheckExternalMeasures(in.Spec, m) })
	if err != nil {
		return nil, err
	}
	all := schema.ExternalMeasures{}
	for _, name := range in.Spec.ExternalMeasureNames() {
		if all[name] = measured[name]; measured[name] != nil {
			x := *measured[name] + 0 // never −0
			all[name] = &x
		}
	}
	return all, nil
}

// CheckExternalMeasures returns an error unless m are measures that the spec's stage declares, and finite.
func CheckExternalMeasures(spec schema.Spec, m schema.ExternalMeasures) error {
	names := spec.ExternalMeasureNames()
	for _, name := range slices.Sorted(maps.Keys(m)) {
		x := m[name]
		switch {
		case !slices.Contains(names, name):
			return schema.Hint(fmt.Errorf("the measure %.80q, which it does not declare", name),
				"declare all measures, and the same ones in every iteration")
		case x != nil && (math.IsNaN(*x) || math.IsInf(*x, 0)):
			return schema.Hint(fmt.Errorf("the measure %s is %v", name, *x),
				"give a finite number, or none where it is undefined")
		}
	}
	return nil
}
