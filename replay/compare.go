package replay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/pod/learn"
	"github.com/podtrack/podtrack/pod/linalg"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/schema/wire"
	"github.com/podtrack/podtrack/tracker"
)

// comparer compares the work on an iteration with its records. After each stage it replaces the
// recomputed results by the recorded ones, so that every stage is verified from its own recorded
// inputs.
type comparer struct {
	view     tracker.Viewer // a transaction to read in
	recorded schema.Iteration
	names    map[schema.Kind][]schema.Digest // of its records
	records  *recorded.Prefetcher
	sample   *Sample
	k        int
	spec     schema.Spec
	stages   map[string]*stageCheck

	// Nil unless records are restored: needsStage reports whether a stage has any to restore, and restore
	// takes a recomputed record whose digest is the recorded one.
	needsStage func(stage string) bool
	restore    func(record []byte) error

	datasetErr      error        // why a part of the cumulative D is unavailable
	observationsErr error        // why observations of earlier iterations are unavailable
	provenOptions   map[int]bool // pruned options that were recomputed with the recorded digest
}

// stageCheck is what a comparer knows of a stage.
type stageCheck struct {
	StageResult
	lost    error // why its records are unavailable, nil if they are not
	blocked bool  // it cannot be executed, since its inputs are unavailable
	missing bool  // it is external, and was not given
	partial bool  // it was executed in part
	needed  bool  // it is executed whatever the sample: later stages read one of its records, which was pruned
}

// newComparer returns a comparer of the next iteration.
func (r *replayed) newComparer() *comparer {
	c := &comparer{
		view: r.view, recorded: r.listed[r.state.K], records: r.records, sample: r.sample, k: r.state.K,
		spec: r.state.Spec(), stages: map[string]*stageCheck{}, provenOptions: map[int]bool{},
		names: map[schema.Kind][]schema.Digest{},
	}
	for _, e := range c.recorded.Records {
		c.names[e.Kind] = append(c.names[e.Kind], e.Name)
	}
	for _, stage := range stages.All {
		c.stages[stage] = &stageCheck{StageResult: StageResult{Stage: stage, Verdict: Skipped}}
	}
	return c
}

// stageResults returns the results in stage order. It leaves out a selection that makes no record:
// the options learned from it show whether it is the same.
func (c *comparer) stageResults() []StageResult {
	var all []StageResult
	for _, stage := range stages.All {
		if stage != stages.Select || c.spec.RecordsSelection() {
			result := c.stages[stage].StageResult
			if result.Verdict == Identical {
				result.Level = schema.Recomputed
				if stage == stages.Collect && stages.IsImportedAt(c.spec, c.k) {
					result.Level = schema.Verified
				}
			}
			all = append(all, result)
		}
	}
	return all
}

func (c *comparer) NeedsPart(stage string) bool {
	j := c.stages[stage]
	if j.blocked {
		return false
	}
	if !c.isSelected(stage) && !j.needed {
		j.partial = true
		return false
	}
	if j.Verdict == Skipped {
		j.Verdict = Identical // until a difference is found
	}
	return true
}

// Imported reads a part of imported data. Imported data cannot be recomputed, but must be the data
// that the spec names.
func (c *comparer) Imported(part int) ([]byte, error) {
	names := append(c.recorded.RecordsOf(schema.KindTransitions), c.recorded.RecordsOf(schema.KindRows)...)
	if part == len(names) {
		return nil, nil
	}
	return c.records.Read(c.k, names[part])
}

// isSelected reports whether a part of a stage has to be computed: it is in the sample, or one of
// the stage's records has to be restored.
func (c *comparer) isSelected(stage string) bool {
	if c.needsStage == nil {
		return c.sample.takeNext()
	}
	return c.needsStage(stage)
}

// Put compares the computed bytes with the recorded ones.
func (c *comparer) Put(stage string, part int, kind schema.Kind, computed []byte) error {
	names := c.names[kind]
	if part >= len(names) {
		c.setDifferent(stage, Difference{
			Record: kind, Part: part, Field: "records", Index: part, Recorded: len(names), Recomputed: part + 1,
		})
		return nil
	}
	name := schema.Name(computed)
	if name == names[part] {
		return c.putSame(stage, part, kind, name, computed)
	}
	stored, err := c.records.Read(c.k, names[part])
	if errors.Is(err, tracker.ErrPruned) {
		c.setDifferent(stage, Difference{
			Record: kind, Part: part, Field: "digest", Recorded: names[part], Recomputed: name,
		})
		return nil
	}
	var d Difference
	if err == nil {
		d, err = compareRecords(kind, stored, computed)
	}
	if err != nil {
		return c.setDamaged(stage, fmt.Errorf("%s record %d: %w", kind, part, err))
	}
	d.Part = part
	c.setDifferent(stage, d)
	return nil
}

// putSame takes computed bytes with the recorded digest. The digest says which bytes the record should hold, not that
// it does.
func (c *comparer) putSame(stage string, part int, kind schema.Kind, name schema.Digest, computed []byte) error {
	if c.restore != nil {
		return c.restore(computed)
	}
	err := c.records.Verify(c.k, name)
	switch {
	case errors.Is(err, tracker.ErrPruned):
		c.stages[stage].Pruned++
		if kind == schema.KindOption {
			c.provenOptions[part] = true
		}
		return nil
	case err != nil:
		return c.setDamaged(stage, fmt.Errorf("%s record %d: %w", kind, part, err))
	}
	return nil
}

// setDifferent notes the first difference of a stage.
func (c *comparer) setDifferent(stage string, d Difference) {
	if j := c.stages[stage]; j.Verdict == Identical {
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
	if !recorded.IsDamage(err) {
		return err
	}
	if j := c.stages[stage]; j.Verdict == Identical || j.Verdict == Skipped {
		j.Verdict, j.Reason = Damaged, fmt.Sprintf("iteration %d, %s: %v", c.k, stage, err)
	}
	return nil
}

func (c *comparer) CheckpointDue() bool { return false }

func (c *comparer) Save(*stages.Iteration) error { return nil }

// FinishStage compares the number of records with the recorded number, and replaces the recomputed
// results by the recorded ones.
func (c *comparer) FinishStage(ctx context.Context, stage string, it *stages.Iteration, err error) error {
	j := c.stages[stage]
	if stage == stages.Learn && len(it.PurposesToLearn()) == 0 && !j.blocked && err == nil {
		j.Verdict = Identical // no purposes, hence no record
	}
	switch {
	case errors.Is(err, learn.ErrNoTermination), errors.Is(err, linalg.ErrNoConvergence),
		errors.Is(err, learn.ErrNoWeights),
		errors.Is(err, wire.ErrMalformed) && !errors.Is(err, pod.ErrStageFailed):
		j.Verdict, j.Reason = Different, "it cannot be recomputed: "+err.Error()
	case errors.Is(err, stages.ErrNoData):
		j.Verdict, j.Reason = Different, fmt.Sprintf("iteration %d, %s: %v", c.k, stage, err)
	case stage == stages.Collect && recorded.IsDamage(err): // in imported data
		_ = c.setDamaged(stage, err) // nil, since err is damage
	case err != nil:
		return err
	case j.Verdict == Identical:
		c.compareCount(stage, it)
	}
	if j.Verdict == Identical && !j.partial {
		return nil // the recomputed results are the recorded ones
	}
	if stage == stages.Select && !c.spec.RecordsSelection() {
		return nil // no record: purposes follow from the factors
	}
	err = c.view(func(tx *tracker.Tx) error { return c.loadRecorded(tx, stage, it) })
	if stage == stages.Collect && it.HasRewards() && !recorded.IsDamage(err) {
		if err := c.checkRecordedRewards(); err != nil {
			return err
		}
	}
	if err == nil {
		err = c.verifyMissing(ctx, stage, it)
		if err != nil && !recorded.IsDamage(err) {
			return err
		}
	}
	switch {
	case err == nil && j.noEnv:
		j.Level = schema.Claimed
		return nil
	case err == nil:
		return nil
	case (j.missing || j.noEnv && c.restore == nil) && recorded.IsDamage(err):
		j.Verdict = Skipped // until setDamaged replaces it
	}
	j.lost = fmt.Errorf("iteration %d, %s: %w", c.k, stage, err)
	for _, later := range dependents[stage] {
		c.setUnverified(later, j.lost)
	}
	if stage == stages.Collect && c.spec.Sides == schema.OneSided {
		c.setUnverified(stages.Select, j.lost) // it counts visits
	}
	if stage == stages.Collect && c.spec.UsesExperience() {
		c.setUnverified(stages.Learn, j.lost)
	}
	return c.setDamaged(stage, err)
}

// dependents maps a stage to the later stages of the iteration that read its records. Without a model, learning also
// reads transitions.
var dependents = map[string][]string{
	stages.Collect: {stages.Factor, stages.Measure},
	stages.Factor:  {stages.Select, stages.Learn, stages.Measure},
	stages.Select:  {stages.Learn, stages.Measure},
	stages.Learn:   {stages.Measure},
}

// setUnverified notes a stage that cannot be verified.
func (c *comparer) setUnverified(stage string, err error) {
	if j := c.stages[stage]; !j.blocked {
		j.blocked = true
		j.StageResult = StageResult{
			Stage: stage, Verdict: Unverified, Reason: err.Error(), noEnv: errors.Is(err, stages.ErrNoEnvLauncher),
			noStage: errors.Is(err, pod.ErrNoStage),
		}
	}
}

// kindsOf returns the kinds of the records that a stage makes, in their order. Those of learning depend on the
// purposes.
func (c *comparer) kindsOf(stage string, it *stages.Iteration) []schema.Kind {
	switch stage {
	case stages.Collect:
		if it.CollectKind() == schema.KindRows {
			return []schema.Kind{schema.KindRows}
		}
		chunk := []schema.Kind{schema.KindTransitions}
		if it.RunState.Growing() != nil {
			chunk = []schema.Kind{schema.KindObservations, schema.KindTransitions}
		}
		if it.HasRewards() {
			chunk = append(chunk, schema.KindRewards)
		}
		return slices.Repeat(chunk, int((c.spec.Steps+schema.ChunkSteps-1)/schema.ChunkSteps))
	case stages.Factor:
		return []schema.Kind{schema.KindFactors}
	case stages.Select:
		if c.spec.RecordsSelection() {
			return []schema.Kind{schema.KindSelection}
		}
		return nil
	case stages.Learn:
		return slices.Repeat([]schema.Kind{c.spec.LearnedKind(), schema.KindOption}, len(it.PurposesToLearn()))
	}
	if c.spec.Stages.Of(schema.MeasureStage) != nil {
		return []schema.Kind{schema.KindMeasures, schema.KindExternalMeasures}
	}
	return []schema.Kind{schema.KindMeasures}
}

// compareCount compares the number of results that a stage makes with the recorded number. Records of other kinds
// are counted by [comparer.checkKinds].
func (c *comparer) compareCount(stage string, it *stages.Iteration) {
	kind := map[string]schema.Kind{
		stages.Collect: it.CollectKind(), stages.Factor: schema.KindFactors, stages.Select: schema.KindSelection,
		stages.Learn: schema.KindOption, stages.Measure: schema.KindMeasures,
	}[stage]
	isOther := func(made schema.Kind) bool { return made != kind }
	made := len(slices.DeleteFunc(c.kindsOf(stage, it), isOther))
	if n := len(c.names[kind]); n != made {
		c.setDifferent(stage, Difference{
			Record: kind, Part: min(n, made), Field: "records", Recorded: n, Recomputed: made,
		})
	}
}

// checkKinds compares the kinds and the order of the iteration's records with those that its spec
// and its purposes imply.
func (c *comparer) checkKinds(it *stages.Iteration) error {
	if c.stages[stages.Factor].lost != nil || c.stages[stages.Select].lost != nil {
		return nil // the number of purposes is unknown
	}
	var kinds []schema.Kind
	for _, stage := range stages.All {
		kinds = append(kinds, c.kindsOf(stage, it)...)
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
func (c *comparer) loadRecorded(tx *tracker.Tx, stage string, it *stages.Iteration) (err error) {
	switch stage {
	case stages.Collect:
		if c.stages[stages.Learn].lost != nil {
			return nil // the options of earlier iterations are lost: nothing could read the transitions
		}
		it.DiscardObservations()
		if err := it.RunState.LoadObservations(tx, c.recorded); err != nil {
			return err
		}
		tally, err := recorded.LoadTally(tx, it.RunState.Env, c.recorded, it.RunState.NewStats)
		if err == nil {
			it.Stats = tally
		}
		return err
	case stages.Factor:
		it.Factors, err = recorded.LoadFactors(tx, it.RunState.Env, it.RunState.Spec(), c.recorded)
	case stages.Select:
		if c.spec.RecordsSelection() {
			it.Purposes, err = recorded.LoadPurposes(tx, it.RunState.Spec(), c.recorded, it.Factors)
		}
	case stages.Learn:
		it.Learned, err = c.loadOptions(tx, it)
	}
	return err
}

// inheritLosses takes over the losses of the previous iteration that affect this one: the state,
// the options, the dataset or transitions of a cumulative D, and the transition counts if they
// accumulate.
func (c *comparer) inheritLosses(before *comparer) {
	collected, learned := before.stages[stages.Collect].lost, before.stages[stages.Learn].lost
	if c.observationsErr = cmp.Or(before.observationsErr, collected); c.observationsErr != nil &&
		c.spec.AccumulatesExperience() {
		c.setUnverified(stages.Learn, c.observationsErr)
	}
	if learned != nil {
		c.stages[stages.Learn].lost = learned
		for _, stage := range []string{stages.Collect, stages.Factor, stages.Measure} {
			c.setUnverified(stage, learned)
		}
		if rule, _ := c.spec.Select.ParseRule(); rule.By.ComparesOptions() { // no error: the spec was checked
			c.setUnverified(stages.Select, learned)
		}
		if c.spec.UsesExperience() { // from steps that cannot be followed without the options
			c.setUnverified(stages.Learn, learned)
		}
	}
	if collected != nil {
		c.setUnverified(stages.Collect, collected)
	}
	switch factored := before.stages[stages.Factor].lost; {
	case stages.NeedsAllTransitions(c.spec):
		c.datasetErr = cmp.Or(before.datasetErr, collected)
	case c.spec.Dataset == schema.Cumulative && c.spec.MethodSeesTransitions():
		c.datasetErr = cmp.Or(before.datasetErr, factored, collected)
	case c.spec.Dataset == schema.Cumulative:
		c.datasetErr = factored
	}
	if c.datasetErr != nil {
		c.setUnverified(stages.Factor, c.datasetErr)
	}
}

// isComplete reports whether the iteration, as it was compared, has all that the next one reads.
func (c *comparer) isComplete() bool {
	for _, j := range c.stages {
		if j.lost != nil {
			return false
		}
	}
	return c.datasetErr == nil && c.observationsErr == nil
}

// findPruned notes the stages whose results must be computed regardless of the sample, because
// later stages read them and some of their records are pruned.
func (c *comparer) findPruned(tx *tracker.Tx) error {
	reads := map[schema.Kind]string{
		schema.KindTransitions: stages.Collect, schema.KindFactors: stages.Factor, schema.KindOption: stages.Learn,
	}
	for _, e := range c.recorded.Records {
		if stage, ok := reads[e.Kind]; ok && tx.Rows().IsPruned(e.Name) {
			c.stages[stage].needed = true
		}
	}
	return nil
}

// loadOptions returns the options that an iteration recorded. A pruned option that was recomputed
// with the same digest counts as recorded.
func (c *comparer) loadOptions(tx *tracker.Tx, it *stages.Iteration) (options []*schema.Option, err error) {
	thetas := recorded.ListThetas(it.RunState.Env, c.recorded)
	for i, name := range c.recorded.RecordsOf(schema.KindOption) {
		if c.provenOptions[i] && i < len(it.Learned) {
			options = append(options, it.Learned[i])
			continue
		}
		o, err := recorded.LoadExtended(tx, it.RunState.Env, name, thetas, i)
		if err != nil {
			return nil, err
		}
		options = append(options, o)
	}
	return options, nil
}
