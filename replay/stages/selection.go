package stages

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/memory"
)

// selectPurposes selects the purposes, with both signs.
func (i *Iteration) selectPurposes(ctx context.Context) (err error) {
	spec := i.RunState.Spec()
	if !spec.RecordsSelection() {
		i.Purposes = selection.SignedAbove(spec, i.Factors)
		return nil
	}
	if i.chosen || !i.sink.NeedsPart(Select) {
		return nil
	}
	needed := selection.EstimateSelectionMemory(i.RunState.Env, spec, i.RunState.available().Options, i.Factors)
	if err := memory.Check(needed); err != nil {
		return fmt.Errorf("compare purposes: %w", err)
	}
	var s schema.Selection
	p, available := i.RunState, i.RunState.available()
	if spec.Stages.Of(schema.SelectStage) == nil {
		s, err = selection.SelectDirections(ctx, p.Env, spec, p.K, available, i.Factors, i.Stats)
	} else {
		s, err = pod.SelectExternally(ctx, i.StageFuncs, spec, p.K, available, i.Factors, i.Stats)
	}
	if err != nil {
		return err
	}
	if i.Purposes, err = selection.SignedKept(spec, i.Factors, s); err != nil {
		return err
	}
	i.chosen = true
	return i.Put(Select, 0, schema.KindSelection, s.Encode)
}

// Purpose returns a purpose with its vector, which is not kept, since those of all purposes would be twice the size of
// V.
func (i *Iteration) Purpose(n int) schema.Purpose {
	if i.directions == nil {
		d := selection.NewDirections(i.RunState.Spec(), i.RunState.K, i.Factors)
		i.directions = &d
	}
	return i.directions.WithVector(i.Purposes[n])
}
