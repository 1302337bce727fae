package recorded

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/pod/collect"
	"github.com/podtrack/podtrack/pod/selection"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// LoadPurposes returns the eigenpurposes that an iteration selected from its factors f, without their vectors, which
// [selection.Directions] has. It reads the iteration's selection record if the spec makes one, and otherwise selects
// again.
func LoadPurposes(
	tx *tracker.Tx, spec schema.Spec, it schema.Iteration, f schema.Factors,
) ([]schema.Purpose, error) {
	if !spec.RecordsSelection() {
		return selection.SignedAbove(spec, f), nil
	}
	name, err := it.OnlyRecord(schema.KindSelection)
	if err != nil {
		return nil, err
	}
	return LoadRecordedPurposes(tx, spec, name, f)
}

// LoadSelection returns the selection of an iteration: the recorded one, or, if the spec makes no
// selection record because it selects by σ > κ, the one that follows from the iteration's factors.
func LoadSelection(tx *tracker.Tx, spec schema.Spec, it schema.Iteration) (schema.Selection, error) {
	if spec.RecordsSelection() {
		return tracker.LoadOnly(tx, it, schema.KindSelection, schema.DecodeSelection)
	}
	f, err := tracker.LoadOnly(tx, it, schema.KindFactors, schema.DecodeFactors)
	if err != nil {
		return schema.Selection{}, err
	}
	// a rule on σ alone takes too little time to be cancelled
	return selection.SelectDirections(context.Background(), nil, spec, 0, collect.OptionSet{}, f, nil)
}

// LoadRecordedPurposes returns the eigenpurposes that the named selection record selects from the factors f, without
// their vectors.
func LoadRecordedPurposes(
	tx *tracker.Tx, spec schema.Spec, name schema.Digest, f schema.Factors,
) ([]schema.Purpose, error) {
	s, err := tracker.Load(tx, name, schema.DecodeSelection)
	if err != nil {
		return nil, err
	}
	purposes, err := selection.SignedKept(spec, f, s)
	if err != nil {
		err = fmt.Errorf("record %s: %w", name, err)
	}
	return purposes, err
}
