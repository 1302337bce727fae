package replay

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Verdict is what a replay says of a stage.
type Verdict string

// The verdicts. Of what a sample left out nothing is said.
const (
	Identical  Verdict = "identical"
	Different  Verdict = "different" // recomputed from the recorded inputs, another record comes out
	Damaged    Verdict = "damaged"   // the record is missing, or its bytes are not those of its name
	Unverified Verdict = "unjudged"  // an input of the stage is damaged
	Skipped    Verdict = "skipped"   // not in the sample
)

// StageResult is the verdict on a stage, and why it is not Identical.
type StageResult struct {
	Stage      string      `json:"stage"`
	Verdict    Verdict     `json:"verdict"`
	Pruned     int         `json:"pruned,omitempty"` // records that are not there, so that digests alone were compared
	Difference *Difference `json:"difference,omitempty"`
	Reason     string      `json:"reason,omitempty"`

	noEnv bool // unjudged because the environment is not there
}

// comparer compares the work on an iteration with what is recorded of it. After
// each stage the recorded results take the place of the recomputed ones, so that
// every stage is judged from its own recorded inputs.
type comparer struct {
	view     func(func(*tracker.Tx) error) error // a transaction to read in
	recorded schema.Iteration
	records  *prefetcher
	sample   *Sample
	k        int
	spec     schema.Spec
	rule     schema.Rule // of the selection

	restorer *restorer // nil where nothing is put back

	datasetErr      error // why something of a cumulative D is not to be had
	observationsErr error // why what earlier iterations observed is not all there

	prunedStages  map[string]bool  // stages of which something that later ones read was pruned
	provenOptions map[int]bool     // pruned options that came out again
	unverifiable  map[string]bool  // stages whose inputs are not to be had
	lostErr       map[string]error // why what a stage recorded is not to be had
	partial       map[string]bool  // stages of which a part was not done
	results       map[string]*StageResult
}

func newComparer(p *runState, recorded schema.Iteration, sample *Sample, with func(func(*tracker.Tx) error) error) *comparer {
	rule, _ := p.spec().Select.ParseRule() // which was checked with the spec
	c := &comparer{
		view: with, recorded: recorded, records: &prefetcher{view: with, queue: recorded.Records}, sample: sample, k: p.k,
		rule: rule, spec: p.spec(),
		prunedStages: map[string]bool{}, provenOptions: map[int]bool{}, unverifiable: map[string]bool{}, lostErr: map[string]error{}, partial: map[string]bool{}, results: map[string]*StageResult{},
	}
	for _, stage := range Stages {
		c.results[stage] = &StageResult{Stage: stage, Verdict: Skipped}
	}
	return c
}

// agrees says that no stage was found to be anything but identical.
func (c *comparer) allIdentical() bool {
	return !slices.ContainsFunc(c.stageResults(), func(j StageResult) bool { return j.Verdict != Identical && j.Verdict != Skipped })
}

// stages are the verdicts in stage order. Where selecting leaves no record, what it
// gives is judged by the options that are learned for it.
func (c *comparer) stageResults() []StageResult {
	var all []StageResult
	for _, stage := range Stages {
		if stage != StageSelect || c.spec.Select.HasRecord() {
			all = append(all, *c.results[stage])
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
		j.Verdict = Identical // until something speaks against it
	}
	return true
}

// given reads back what was given: it cannot be computed again, but it must be
// what the spec names.
func (c *comparer) imported(part int) ([]byte, error) {
	names := append(c.recorded.RecordsOf(schema.KindTransitions), c.recorded.RecordsOf(schema.KindRows)...)
	if part == len(names) {
		return nil, nil
	}
	return c.records.read(names[part])
}

// takes says whether a part of a stage is to be done: it is in the sample, or one
// of the stage's records is to be put back.
func (c *comparer) isSelected(stage string) bool {
	if c.restorer == nil {
		return c.sample.takeNext()
	}
	return c.restorer.needsStage(c.recorded, stage)
}

// put compares bytes that were just computed with the recorded ones. The record
// is read even where its name is the computed one, which says that it should
// hold these bytes and not that it does.
func (c *comparer) put(stage string, part int, kind schema.Kind, computed []byte) error {
	names := c.recorded.RecordsOf(kind)
	if part >= len(names) {
		c.setDifferent(stage, Difference{Record: kind, Part: part, Field: "records", Index: part, Recorded: len(names), Recomputed: part + 1})
		return nil
	}
	stored, err := c.records.read(names[part])
	same := schema.Name(computed) == names[part]
	switch {
	case c.restorer != nil && same:
		return c.restorer.addRecord(computed)
	case errors.Is(err, tracker.ErrPruned) && same:
		c.results[stage].Pruned++
		if kind == schema.KindOption {
			c.provenOptions[part] = true
		}
		return nil
	case errors.Is(err, tracker.ErrPruned):
		c.setDifferent(stage, Difference{Record: kind, Part: part, Field: "digest", Recorded: names[part], Recomputed: schema.Name(computed)})
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

// differ notes a stage's first difference.
func (c *comparer) setDifferent(stage string, d Difference) {
	if j := c.results[stage]; j.Verdict == Identical {
		d.K, d.Stage = c.k, stage
		j.Verdict, j.Difference, j.Reason = Different, &d, d.String()
	}
}

// damaged notes what damage does to a stage. That a record was pruned is none. What
// is neither is the caller's to handle.
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

// IsDamage says that a record is gone, damaged, or not what it should be.
func IsDamage(err error) bool {
	for _, kind := range []error{tracker.ErrDamaged, tracker.ErrMissing, schema.ErrMalformed, schema.ErrTruncated,
		schema.ErrOversized, schema.ErrNotCanonical, schema.ErrVersion} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

func (c *comparer) checkpointDue() bool   { return false }
func (c *comparer) save(*iteration) error { return nil }

// settle holds the number of records to the recorded one, and puts the recorded
// results in the place of the recomputed ones.
func (c *comparer) finishStage(stage string, it *iteration, err error) error {
	j := c.results[stage]
	if stage == StageLearn && len(it.purposesToLearn()) == 0 && !c.unverifiable[stage] && err == nil {
		j.Verdict = Identical // there is nothing to learn, and nothing to be recorded of it
	}
	switch {
	case errors.Is(err, pod.ErrNoTermination), errors.Is(err, pod.ErrNoConvergence), errors.Is(err, pod.ErrNoWeights), errors.Is(err, schema.ErrMalformed):
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
	if err == nil {
		return nil
	}
	c.lostErr[stage] = fmt.Errorf("iteration %d, %s: %w", c.k, stage, err)
	for _, later := range dependents[stage] {
		c.setUnverified(later, c.lostErr[stage])
	}
	if stage == StageCollect && it.runState.learner == nil {
		c.setUnverified(StageLearn, c.lostErr[stage])
	}
	return c.setDamaged(stage, err)
}

// dependents are the stages of an iteration that read what a stage recorded. Learning reads
// transitions too, where no model is known.
var dependents = map[string][]string{
	StageCollect: {StageFactor, StageMeasure},
	StageFactor:  {StageSelect, StageLearn, StageMeasure},
	StageSelect:  {StageLearn, StageMeasure},
	StageLearn:   {StageMeasure},
}

// miss notes a stage that cannot be judged.
func (c *comparer) setUnverified(stage string, err error) {
	if !c.unverifiable[stage] {
		c.unverifiable[stage] = true
		*c.results[stage] = StageResult{Stage: stage, Verdict: Unverified, Reason: err.Error(), noEnv: errors.Is(err, ErrNoEnvLauncher)}
	}
}

// count compares how many records a stage makes.
func (c *comparer) compareCount(stage string, it *iteration) {
	kind, computed := schema.KindMeasures, 1
	switch stage {
	case StageCollect:
		kind, computed = it.collectKind(), it.chunks
	case StageFactor:
		kind = schema.KindFactors
	case StageSelect:
		kind = schema.KindSelection
	case StageLearn:
		kind, computed = schema.KindOption, len(it.purposesToLearn())
	}
	if n := len(c.recorded.RecordsOf(kind)); n != computed {
		c.setDifferent(stage, Difference{Record: kind, Part: min(n, computed), Field: "records", Recorded: n, Recomputed: computed})
	}
}

// listed compares the kinds of the records that the iteration lists, and their
// order, with what its spec and its purposes make of them.
func (c *comparer) checkKinds(it *iteration) error {
	if c.lostErr[StageFactor] != nil || c.lostErr[StageSelect] != nil {
		return nil // nobody knows how many purposes there should be
	}
	chunks := (it.runState.spec().Steps + schema.ChunkSteps - 1) / schema.ChunkSteps
	if it.collectKind() == schema.KindRows {
		chunks = 1
	}
	chunk := []schema.Kind{it.collectKind()}
	if it.runState.external() != nil {
		chunk = []schema.Kind{schema.KindObservations, it.collectKind()}
	}
	kinds := append(slices.Repeat(chunk, int(chunks)), schema.KindFactors)
	if c.spec.Select.HasRecord() {
		kinds = append(kinds, schema.KindSelection)
	}
	for range it.purposesToLearn() {
		kinds = append(kinds, it.runState.spec().Learner.RecordKind(), schema.KindOption)
	}
	kinds = append(kinds, schema.KindMeasures)
	for i, e := range c.recorded.Records {
		if i >= len(kinds) || e.Kind != kinds[i] {
			return fmt.Errorf("%w: the iteration lists a record of kind %q at position %d of %d, where %d belong", tracker.ErrDamaged, e.Kind, i, len(c.recorded.Records), len(kinds))
		}
	}
	if n := len(c.recorded.Records); n != len(kinds) {
		return fmt.Errorf("%w: the iteration lists %d records, where %d belong", tracker.ErrDamaged, n, len(kinds))
	}
	return nil
}

// adopt reads what a stage recorded.
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
		tally, err := it.runState.loadStats(tx, c.recorded)
		if err == nil {
			it.stats = tally
		}
		return err
	case StageFactor:
		name, err := c.recorded.OnlyRecord(schema.KindFactors)
		if err == nil {
			it.factors, err = loadFactors(tx, it.runState.env, name)
		}
		return err
	case StageSelect:
		if c.spec.Select.HasRecord() {
			it.purposes, err = LoadPurposes(tx, it.runState.spec(), c.recorded, it.factors)
		}
	case StageLearn:
		it.learned, err = c.loadOptions(tx, it)
	}
	return err
}

// inherit takes over from the iteration before which results are lost that this
// one begins with: the state, the options and, for a cumulative D, the dataset, or the
// transitions that a method on states goes on from; and the moves, where they are
// gathered.
func (c *comparer) inheritLosses(before *comparer) {
	if c.observationsErr = cmp.Or(before.observationsErr, before.lostErr[StageCollect]); c.observationsErr != nil && c.spec.AccumulatesExperience() {
		c.setUnverified(StageLearn, c.observationsErr)
	}
	if err := before.lostErr[StageLearn]; err != nil {
		c.lostErr[StageLearn] = err
		for _, stage := range []string{StageCollect, StageFactor, StageMeasure} {
			c.setUnverified(stage, err)
		}
		if c.rule.By == schema.ByNovelty {
			c.setUnverified(StageSelect, err)
		}
		if c.spec.Learner.UsesExperience() { // from steps that nobody can follow without the options
			c.setUnverified(StageLearn, err)
		}
	}
	if err := before.lostErr[StageCollect]; err != nil {
		c.setUnverified(StageCollect, err)
	}
	switch {
	case needsAllTransitions(c.spec):
		c.datasetErr = cmp.Or(before.datasetErr, before.lostErr[StageCollect])
	case c.spec.Dataset == schema.Cumulative:
		c.datasetErr = before.lostErr[StageFactor]
	}
	if c.datasetErr != nil {
		c.setUnverified(StageFactor, c.datasetErr)
	}
}
