package tracker

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
)

// A Plan states how many runs and iterations a tag is to have in the end. Runs that have not begun
// are not in the store, so nothing else has their number.
type Plan struct {
	Runs       int   `cbor:"runs"`       // number of runs with the tag
	Iterations int64 `cbor:"iterations"` // total of all runs
	Set        int64 `cbor:"set"`        // Unix time in nanoseconds

	Folder string `cbor:"folder,omitempty"` // folder through which runs of other machines arrive, "" for none
}

// maxFolder is the length in bytes of the longest path of a plan's folder.
const maxFolder = 4096

// TaggedPlan is a plan with its tag.
type TaggedPlan struct {
	Tag string
	Plan
}

// maxPlannedRuns is the largest number of runs of a plan.
const maxPlannedRuns = 10_000_000

// planPrefix begins the keys of plans. The tag follows.
const planPrefix = "plan/"

func planKey(tag string) []byte { return []byte(planPrefix + tag) }

func isPlanKey(key []byte) bool { return bytes.HasPrefix(key, []byte(planPrefix)) }

func (p Plan) validate() error {
	if p.Runs < 1 || p.Runs > maxPlannedRuns {
		return schema.Hint(fmt.Errorf("a plan of %d runs: %w", p.Runs, ErrInvalid), "plan 1 to %d runs", maxPlannedRuns)
	}
	if p.Iterations < 0 || p.Iterations > int64(p.Runs)*MaxIterations {
		return fmt.Errorf("a plan of %d runs with %d iterations: %w", p.Runs, p.Iterations, ErrInvalid)
	}
	if len(p.Folder) > maxFolder || !utf8.ValidString(p.Folder) {
		return fmt.Errorf("a plan with the folder %.100q: %w", p.Folder, ErrInvalid)
	}
	return nil
}

// SetPlan sets the tag's plan and replaces an earlier one. A plan without a time gets the current
// time.
func (t *Tx) SetPlan(tag string, p Plan) error {
	if err := ValidateTag(tag); err != nil {
		return err
	}
	if err := p.validate(); err != nil {
		return err
	}
	if p.Set == 0 {
		p.Set = t.store.now().UnixNano()
	}
	return rows.Write(t.rows, rows.BucketPodtrack, planKey(tag), p)
}

// ReadPlan returns the tag's plan, or nil if there is none.
func (t *Tx) ReadPlan(tag string) (*Plan, error) {
	value, err := t.rows.Get(rows.BucketPodtrack, planKey(tag))
	if value == nil || err != nil {
		return nil, err
	}
	p, err := decodePlan(planKey(tag), value)
	if err != nil {
		return nil, err
	}
	return &p.Plan, nil
}

// ReadPlans returns all plans, newest first.
func (t *Tx) ReadPlans() (all []TaggedPlan, err error) {
	for key, row := range t.rows.WithPrefix(rows.BucketPodtrack, []byte(planPrefix)) {
		value, err := rows.Verify(rows.BucketPodtrack, key, row)
		if err != nil {
			return nil, err
		}
		p, err := decodePlan(key, value)
		if err != nil {
			return nil, err
		}
		all = append(all, p)
	}
	slices.SortStableFunc(all, func(a, b TaggedPlan) int { return cmp.Compare(b.Set, a.Set) })
	return all, nil
}

// removePlan removes the tag's plan. Its runs keep the tag.
func (t *Tx) removePlan(tag string) error {
	if t.rows.Bucket(rows.BucketPodtrack).Get(planKey(tag)) == nil {
		return storeerr.Missing("a plan for tag %q", tag)
	}
	return t.rows.Remove(rows.BucketPodtrack, planKey(tag))
}

// RemoveUnusedPlans removes the plans of those of the tags that no run has any more.
func (t *Tx) RemoveUnusedPlans(tags ...string) error {
	idle := map[string]bool{}
	for _, tag := range tags {
		if t.rows.Bucket(rows.BucketPodtrack).Get(planKey(tag)) != nil {
			idle[tag] = true
		}
	}
	if len(idle) == 0 {
		return nil
	}
	for key := range t.rows.WithPrefix(rows.BucketTags, nil) {
		if len(key) > len(schema.Digest{}) {
			delete(idle, string(key[len(schema.Digest{}):]))
		}
	}
	for tag := range idle {
		if err := t.removePlan(tag); err != nil {
			return err
		}
	}
	return nil
}

// decodePlan decodes a verified row.
func decodePlan(key, value []byte) (p TaggedPlan, err error) {
	p.Tag = string(key[len(planPrefix):])
	if ValidateTag(p.Tag) != nil {
		return TaggedPlan{}, rows.DamagedError(rows.BucketPodtrack, key)
	}
	if p.Plan, err = rows.Decode[Plan](rows.BucketPodtrack, key, value); err != nil {
		return TaggedPlan{}, err
	}
	if err := p.validate(); err != nil {
		return TaggedPlan{}, fmt.Errorf("%w: %w", rows.DamagedError(rows.BucketPodtrack, key), err)
	}
	return p, nil
}

// validatePlanRow validates a plan, or a part of an evaluation. It accepts other rows of the bucket,
// which later versions may add.
func validatePlanRow(key, value []byte) error {
	if isPartKey(key) {
		return validatePartRow(key, value)
	}
	if !isPlanKey(key) {
		return nil
	}
	_, err := decodePlan(key, value)
	return err
}
