package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// comparer compares the work on an iteration with its records. After each stage it replaces the
// recomputed results by the recorded ones, so that every stage is verified from its own recorded
// inputs.
type comparer struct {
	view     tracker.Viewer // a transaction to read in
	recorded schema.Iteration
	records  *prefetcher
	sample   *Sample
	k        int
	spec     schema.Spec
	rule     schema.Rule // of the selection

	// Of records to be restored, nil if there are none: whether a stage has to be computed for
	// them, and what takes a recomputed record whose digest is the recorded one.
	needsStage func(stage string) bool
	restore    func(record []byte) error

	datasetErr      error // why a part of the cumulative D is unavailable
	observationsErr error // why observations of earlier iterations are unavailable

	prunedStages  map[string]bool  // stages with a pruned record that later stages read
	provenOptions map[int]bool     // pruned options that were recomputed with the recorded digest
	unverifiable  map[string]bool  // stages whose inputs are unavailable
	lostErr       map[string]error // by stage: why its records are unavailable
	partial       map[string]bool  // stages that were computed in part
	missing       map[string]bool  // external stages that were not given
	results       map[string]*StageResult
}

func newComparer(
	p *runState, listed schema.Iteration, sample *Sample, with tracker.Viewer,
) *comparer {
	rule, _ := p.spec().Select.ParseRule() // which was checked with the spec
	c := &comparer{
		view: with, recorded: listed, records: &prefetcher{view: with, queue: listed.Records}, sample: sample,
		k:    p.k,
		rule: rule, spec: p.spec(),
		prunedStages: map[string]bool{}, provenOptions: map[int]bool{}, unverifiable: map[string]bool{},
		lostErr: map[string]error{}, partial: map[string]bool{}, missing: map[string]bool{},
		results: map[string]*StageResult{},
	}
	for _, stage := range Stages {
		c.results[stage] = &StageResult{Stage: stage, Verdict: Skipped}
	}
	return c
}

// allIdentical reports whether no verified stage differs from its records.
func (c *comparer) allIdentical() bool {
	return !slices.ContainsFunc(c.stageResults(), func(j StageResult) bool {
		return j.Verdict != Identical && j.Verdict != Skipped && !j.noStage
	})
}

// stageResults returns the results in stage order. It leaves out a selection that makes no record:
// the options learned from it show whether it is the same.
func (c *comparer) stageResults() []StageResult {
	var all []StageResult
	for _, stage := range Stages {
		if stage != StageSelect || c.spec.RecordsSelection() {
			result := *c.results[stage]
			if result.Verdict == Identical {
				result.Level = schema.Recomputed
				if stage == StageCollect && isImportedAt(c.spec, c.k) {
					result.Level = schema.Verified
				}
			}
			all = append(all, result)
		}
	}
	return all
}

func (c *comparer) needsPart(stage string) bool {
	if c.unverifiable[stage] {
		return false
	}
	if !c.isSelected(stage) && !c.prunedStages[stage] {
		c.partial[stage] = true
		return false
	}
	if j := c.results[stage]; j.Verdict == Skipped {
		j.Verdict = Identical // until a difference is found
	}
	return true
}

// imported reads a part of imported data. Imported data cannot be recomputed, but must be the data
// that the spec names.
func (c *comparer) imported(part int) ([]byte, error) {
	names := append(c.recorded.RecordsOf(schema.KindTransitions), c.recorded.RecordsOf(schema.KindRows)...)
	if part == len(names) {
		return nil, nil
	}
	return c.records.read(names[part])
}

// isSelected reports whether a part of a stage has to be computed: it is in the sample, or one of
// the stage's records has to be restored.
func (c *comparer) isSelected(stage string) bool {
	if c.needsStage == nil {
		return c.sample.takeNext()
	}
	return c.needsStage(stage)
}

// put compares the computed bytes with the recorded ones. It reads the record even if the digests
// agree: the digest says which bytes the record should hold, not that it does.
func (c *comparer) put(stage string, part int, kind schema.Kind, computed []byte) error {
	names := c.recorded.RecordsOf(kind)
	if part >= len(names) {
		c.setDifferent(stage, Difference{
			Record: kind, Part: part, Field: "records", Index: part, Recorded: len(names), Recomputed: part + 1,
		})
		return nil
	}
	stored, err := c.records.read(names[part])
	same := schema.Name(computed) == names[part]
	switch {
	case c.restore != nil && same:
		return c.restore(computed)
	case errors.Is(err, tracker.ErrPruned) && same:
		c.results[stage].Pruned++
		if kind == schema.KindOption {
			c.provenOptions[part] = true
		}
		return nil
	case errors.Is(err, tracker.ErrPruned):
		c.setDifferent(stage, Difference{
			Record: kind, Part: part, Field: "digest", Recorded: names[part], Recomputed: schema.Name(computed),
		})
		return nil
	case err != nil:
		return c.setDamaged(stage, fmt.Errorf("%s record %d: %w", kind, part, err))
	case same:
		return nil
	}
	d, err := compareRecords(kind, stored, computed)
	if err != nil {
		return c.setDamaged(stage, fmt.Errorf("%s record %d: %w", kind, part, err))
	}
	d.Part = part
	c.setDifferent(stage, d)
	return nil
}

// setDifferent notes the first difference of a stage.
func (c *comparer) setDifferent(stage string, d Difference) {
	if j := c.results[stage]; j.Verdict == Identical {
		d.K, d.Stage = c.k, stage
		j.Verdict, j.Difference, j.Reason = Different, &d, d.String()
	}
}

// setDamaged notes the damage of a stage. A pruned record is not damaged. It returns any error
// that is neither.
func (c *comparer) setDamaged(stage string, err error) error {
	if errors.Is(err, tracker.ErrPruned) {
		return nil
	}
	if !IsDamage(err) {
		return err
	}
	if j := c.results[stage]; j.Verdict == Identical || j.Verdict == Skipped {
		j.Verdict, j.Reason = Damaged, fmt.Sprintf("iteration %d, %s: %v", c.k, stage, err)
	}
	return nil
}

func (c *comparer) checkpointDue() bool { return false }

func (c *comparer) save(*iteration) error { return nil }

// finishStage compares the number of records with the recorded number, and replaces the recomputed
// results by the recorded ones.
func (c *comparer) finishStage(ctx context.Context, stage string, it *iteration, err error) error {
	j := c.results[stage]
	if stage == StageLearn && len(it.purposesToLearn()) == 0 && !c.unverifiable[stage] && err == nil {
		j.Verdict = Identical // there is nothing to learn, and nothing to be recorded of it
	}
	switch {
	case errors.Is(err, pod.ErrNoTermination), errors.Is(err, pod.ErrNoConvergence), errors.Is(err, pod.ErrNoWeights),
		errors.Is(err, schema.ErrMalformed) && !errors.Is(err, pod.ErrStageFailed):
		j.Verdict, j.Reason = Different, "it cannot be recomputed: "+err.Error()
	case errors.Is(err, ErrNoData):
		j.Verdict, j.Reason = Different, fmt.Sprintf("iteration %d, %s: %v", c.k, stage, err)
	case stage == StageCollect && IsDamage(err): // of what was given
		_ = c.setDamaged(stage, err) // which damage is
	case err != nil:
		return err
	case j.Verdict == Identical:
		c.compareCount(stage, it)
	}
	if c.results[stage].Verdict == Identical && !c.partial[stage] {
		return nil // what was recomputed is what is recorded
	}
	err = c.view(func(tx *tracker.Tx) error { return c.loadRecorded(tx, stage, it) })
	if stage == StageCollect && it.hasRewards() && !IsDamage(err) {
		if err := c.checkRecordedRewards(); err != nil {
			return err
		}
	}
	if err == nil {
		err = c.verifyMissing(ctx, stage, it)
		if err != nil && !IsDamage(err) {
			return err
		}
	}
	switch {
	case err == nil && j.noEnv:
		j.Level = schema.Claimed
		return nil
	case err == nil:
		return nil
	case (c.missing[stage] || j.noEnv && c.restore == nil) && IsDamage(err):
		j.Verdict = Skipped // which damage replaces
	}
	c.lostErr[stage] = fmt.Errorf("iteration %d, %s: %w", c.k, stage, err)
	for _, later := range dependents[stage] {
		c.setUnverified(later, c.lostErr[stage])
	}
	if stage == StageCollect && it.runState.spec().Sides == schema.OneSided {
		c.setUnverified(StageSelect, c.lostErr[stage]) // which counts visits
	}
	if stage == StageCollect && it.runState.spec().UsesExperience() {
		c.setUnverified(StageLearn, c.lostErr[stage])
	}
	return c.setDamaged(stage, err)
}

// dependents maps a stage to the later stages of the iteration that read its records. Learning
// reads transitions too if there is no model.
var dependents = map[string][]string{
	StageCollect: {StageFactor, StageMeasure},
	StageFactor:  {StageSelect, StageLearn, StageMeasure},
	StageSelect:  {StageLearn, StageMeasure},
	StageLearn:   {StageMeasure},
}

// setUnverified notes a stage that cannot be verified.
func (c *comparer) setUnverified(stage string, err error) {
	if !c.unverifiable[stage] {
		c.unverifiable[stage] = true
		*c.results[stage] = StageResult{
			Stage: stage, Verdict: Unverified, Reason: err.Error(), noEnv: errors.Is(err, ErrNoEnvLauncher),
			noStage: errors.Is(err, pod.ErrNoStage),
		}
	}
}

// compareCount compares the number of records that a stage makes with the recorded number.
func (c *comparer) compareCount(stage string, it *iteration) {
	kind, computed := schema.KindMeasures, 1
	switch stage {
	case StageCollect:
		kind, computed = it.collectKind(), it.chunks
		if c.missing[stage] {
			computed = int((c.spec.Steps + schema.ChunkSteps - 1) / schema.ChunkSteps)
		}
	case StageFactor:
		kind = schema.KindFactors
	case StageSelect:
		kind = schema.KindSelection
	case StageLearn:
		kind, computed = schema.KindOption, len(it.purposesToLearn())
	}
	if n := len(c.recorded.RecordsOf(kind)); n != computed {
		c.setDifferent(stage, Difference{
			Record: kind, Part: min(n, computed), Field: "records", Recorded: n, Recomputed: computed,
		})
	}
}

// checkKinds compares the kinds and the order of the iteration's records with those that its spec
// and its purposes imply.
func (c *comparer) checkKinds(it *iteration) error {
	if c.lostErr[StageFactor] != nil || c.lostErr[StageSelect] != nil {
		return nil // the number of purposes is unknown
	}
	chunks := (it.runState.spec().Steps + schema.ChunkSteps - 1) / schema.ChunkSteps
	if it.collectKind() == schema.KindRows {
		chunks = 1
	}
	chunk := []schema.Kind{it.collectKind()}
	if it.runState.growing() != nil {
		chunk = []schema.Kind{schema.KindObservations, it.collectKind()}
	}
	if it.hasRewards() {
		chunk = append(chunk, schema.KindRewards)
	}
	kinds := append(slices.Repeat(chunk, int(chunks)), schema.KindFactors)
	if c.spec.RecordsSelection() {
		kinds = append(kinds, schema.KindSelection)
	}
	for range it.purposesToLearn() {
		kinds = append(kinds, it.runState.spec().LearnedKind(), schema.KindOption)
	}
	kinds = append(kinds, schema.KindMeasures)
	if c.spec.HasExternalMeasures() {
		kinds = append(kinds, schema.KindExternalMeasures)
	}
	for i, e := range c.recorded.Records {
		if i >= len(kinds) || e.Kind != kinds[i] {
			return fmt.Errorf("%w: the iteration lists a record of kind %q at position %d of %d, not %d",
				tracker.ErrDamaged, e.Kind, i, len(c.recorded.Records), len(kinds))
		}
	}
	if n := len(c.recorded.Records); n != len(kinds) {
		return fmt.Errorf("%w: the iteration lists %d records, not %d", tracker.ErrDamaged, n, len(kinds))
	}
	return nil
}

// loadRecorded reads the records of a stage into the iteration.
func (c *comparer) loadRecorded(tx *tracker.Tx, stage string, it *iteration) (err error) {
	switch stage {
	case StageCollect:
		if c.lostErr[StageLearn] != nil {
			return nil // the options of earlier iterations are lost: nothing could read the transitions
		}
		it.discardObservations()
		if err := it.runState.loadObservations(tx, c.recorded); err != nil {
			return err
		}
		tally, err := loadTally(tx, it.runState.env, c.recorded, it.runState.newStats)
		if err == nil {
			it.stats = tally
		}
		return err
	case StageFactor:
		name, err := c.recorded.OnlyRecord(schema.KindFactors)
		if err == nil {
			it.factors, err = loadFactors(tx, it.runState.env, it.runState.spec(), name)
		}
		return err
	case StageSelect:
		if c.spec.RecordsSelection() {
			it.purposes, err = LoadPurposes(tx, it.runState.spec(), it.runState.k, c.recorded, it.factors)
		}
	case StageLearn:
		it.learned, err = c.loadOptions(tx, it)
	}
	return err
}

// inheritLosses takes over the losses of the previous iteration that affect this one: the state,
// the options, the dataset or transitions of a cumulative D, and the transition counts if they
// accumulate.
func (c *comparer) inheritLosses(before *comparer) {
	if c.observationsErr = cmp.Or(before.observationsErr, before.lostErr[StageCollect]); c.observationsErr != nil &&
		c.spec.AccumulatesExperience() {
		c.setUnverified(StageLearn, c.observationsErr)
	}
	if err := before.lostErr[StageLearn]; err != nil {
		c.lostErr[StageLearn] = err
		for _, stage := range []string{StageCollect, StageFactor, StageMeasure} {
			c.setUnverified(stage, err)
		}
		if c.rule.By.ComparesOptions() {
			c.setUnverified(StageSelect, err)
		}
		if c.spec.UsesExperience() { // from steps that cannot be followed without the options
			c.setUnverified(StageLearn, err)
		}
	}
	if err := before.lostErr[StageCollect]; err != nil {
		c.setUnverified(StageCollect, err)
	}
	switch {
	case needsAllTransitions(c.spec):
		c.datasetErr = cmp.Or(before.datasetErr, before.lostErr[StageCollect])
	case c.spec.Dataset == schema.Cumulative && c.spec.MethodSeesTransitions():
		c.datasetErr = cmp.Or(before.datasetErr, before.lostErr[StageFactor], before.lostErr[StageCollect])
	case c.spec.Dataset == schema.Cumulative:
		c.datasetErr = before.lostErr[StageFactor]
	}
	if c.datasetErr != nil {
		c.setUnverified(StageFactor, c.datasetErr)
	}
}

// findPruned notes the stages whose results must be computed regardless of the sample, because
// later stages read them and some of their records are pruned.
func (c *comparer) findPruned(tx *tracker.Tx) error {
	reads := map[schema.Kind]string{
		schema.KindTransitions: StageCollect, schema.KindFactors: StageFactor, schema.KindOption: StageLearn,
	}
	for _, e := range c.recorded.Records {
		if stage, ok := reads[e.Kind]; ok && tx.IsPruned(e.Name) {
			c.prunedStages[stage] = true
		}
	}
	return nil
}

// loadOptions returns the options that an iteration recorded. A pruned option that was recomputed
// with the same digest counts as recorded.
func (c *comparer) loadOptions(tx *tracker.Tx, it *iteration) (options []*schema.Option, err error) {
	thetas := listThetas(it.runState.env, c.recorded)
	for i, name := range c.recorded.RecordsOf(schema.KindOption) {
		if c.provenOptions[i] && i < len(it.learned) {
			options = append(options, it.learned[i])
			continue
		}
		o, err := loadExtended(tx, it.runState.env, name, thetas, i)
		if err != nil {
			return nil, err
		}
		options = append(options, o)
	}
	return options, nil
}
