package replay

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/memory"
)

// selectPurposes selects the purposes, with both signs.
func (it *iteration) selectPurposes(ctx context.Context) (err error) {
	spec := it.runState.spec()
	if !spec.RecordsSelection() {
		it.purposes = pod.SelectPurposes(spec, it.runState.k, it.factors)
		return nil
	}
	if it.chosen || !it.sink.needsPart(StageSelect) {
		return nil
	}
	needed := pod.EstimateSelectionMemory(it.runState.env, spec, it.runState.available().Options, it.factors)
	if err := memory.Check(needed); err != nil {
		return fmt.Errorf("compare purposes over visited states: %w", err)
	}
	s, err := it.selectDirections(ctx)
	if err != nil {
		return err
	}
	if it.purposes, err = pod.SelectedPurposes(spec, it.runState.k, it.factors, s); err != nil {
		return err
	}
	it.chosen = true
	return it.put(StageSelect, 0, schema.KindSelection, s.Encode)
}

// selectDirections returns the decisions of the spec's selection.
func (it *iteration) selectDirections(ctx context.Context) (schema.Selection, error) {
	p := it.runState
	spec := p.spec()
	if spec.Stages.Of(schema.SelectStage) == nil {
		return pod.SelectDirections(p.env, spec, p.k, p.available(), it.factors, it.stats)
	}
	decide, err := findStage(ctx, it, pod.SelectStage)
	if err != nil {
		return schema.Selection{}, err
	}
	return pod.SelectExternally(ctx, decide, spec, p.k, p.available(), it.factors, it.stats)
}
