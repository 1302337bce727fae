package replay

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/memory"
)

// LoadPurposes returns the purposes that iteration k with that spec selected from its factors.
func LoadPurposes(
	tx *tracker.Tx, spec schema.Spec, k int, it schema.Iteration, f schema.Factors,
) ([]schema.Purpose, error) {
	if !spec.RecordsSelection() {
		return pod.SelectPurposes(spec, k, f), nil
	}
	name, err := it.OnlyRecord(schema.KindSelection)
	if err != nil {
		return nil, err
	}
	return loadRecordedPurposes(tx, spec, k, name, f)
}

// LoadSelection returns the selection of an iteration with that spec: the recorded one or, if σ >
// κ decides, the one that follows from its factors.
func LoadSelection(tx *tracker.Tx, spec schema.Spec, it schema.Iteration) (schema.Selection, error) {
	if spec.RecordsSelection() {
		name, err := it.OnlyRecord(schema.KindSelection)
		if err != nil {
			return schema.Selection{}, err
		}
		return tracker.Load(tx, name, schema.DecodeSelection)
	}
	name, err := it.OnlyRecord(schema.KindFactors)
	if err != nil {
		return schema.Selection{}, err
	}
	f, err := tracker.Load(tx, name, schema.DecodeFactors)
	if err != nil {
		return schema.Selection{}, err
	}
	return pod.SelectDirections(nil, spec, 0, pod.OptionSet{}, f, nil)
}

func loadRecordedPurposes(
	tx *tracker.Tx, spec schema.Spec, k int, name schema.Digest, f schema.Factors,
) ([]schema.Purpose, error) {
	s, err := tracker.Load(tx, name, schema.DecodeSelection)
	if err != nil {
		return nil, err
	}
	purposes, err := pod.SelectedPurposes(spec, k, f, s)
	if err != nil {
		err = fmt.Errorf("record %s: %w", name, err)
	}
	return purposes, err
}

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
