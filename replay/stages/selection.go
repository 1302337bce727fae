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
func (it *Iteration) selectPurposes(ctx context.Context) (err error) {
	spec := it.RunState.Spec()
	if !spec.RecordsSelection() {
		it.Purposes = selection.SelectPurposes(spec, it.RunState.K, it.Factors)
		return nil
	}
	if it.chosen || !it.sink.NeedsPart(Select) {
		return nil
	}
	needed := selection.EstimateSelectionMemory(it.RunState.Env, spec, it.RunState.available().Options, it.Factors)
	if err := memory.Check(needed); err != nil {
		return fmt.Errorf("compare purposes over visited states: %w", err)
	}
	s, err := it.selectDirections(ctx)
	if err != nil {
		return err
	}
	if it.Purposes, err = selection.SelectedPurposes(spec, it.RunState.K, it.Factors, s); err != nil {
		return err
	}
	it.chosen = true
	return it.Put(Select, 0, schema.KindSelection, s.Encode)
}

// selectDirections returns the decisions of the spec's selection.
func (it *Iteration) selectDirections(ctx context.Context) (schema.Selection, error) {
	p := it.RunState
	spec := p.Spec()
	if spec.Stages.Of(schema.SelectStage) == nil {
		return selection.SelectDirections(p.Env, spec, p.K, p.available(), it.Factors, it.Stats)
	}
	decide, err := findStage(ctx, it, pod.SelectStage)
	if err != nil {
		return schema.Selection{}, err
	}
	return pod.SelectExternally(ctx, decide, spec, p.K, p.available(), it.Factors, it.Stats)
}
