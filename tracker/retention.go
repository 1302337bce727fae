package tracker

import (
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A Retention selects the records that a run keeps: those of some kinds. Of others it keeps the digests; they are
// pruned. Measures are always kept, and so is imported data, which cannot be computed again.
type Retention struct {
	Kinds []schema.Kind `cbor:"kinds" json:"kinds"` // a subsequence of PrunableKinds
}

// PrunableKinds lists the kinds of records that may be pruned.
var PrunableKinds = []schema.Kind{schema.KindTransitions, schema.KindFactors, schema.KindValue, schema.KindOption}

// IsPrunable reports whether a record of iteration k can be computed again. If the environment is another
// process, transitions cannot; nor may weights be pruned, since the run continues from them.
func (r Run) IsPrunable(k int, kind schema.Kind) bool {
	if r.Spec.Env.External != nil && (kind == schema.KindTransitions || kind == schema.KindTheta) {
		return false
	}
	given := k == 0 && !r.SpecAt(0).Data.IsZero() && kind == schema.KindTransitions
	return !given && slices.Contains(PrunableKinds, retentionKind(kind))
}

// retentionKind returns the kind that decides whether a record is kept: weights count as values, since an
// option is derived from either.
func retentionKind(kind schema.Kind) schema.Kind {
	if kind == schema.KindTheta {
		return schema.KindValue
	}
	return kind
}

// KeepsEverything reports whether nothing is pruned.
func (r Retention) KeepsEverything() bool { return len(r.Kinds) == len(PrunableKinds) }

// Validate returns [ErrInvalid] for an invalid retention.
func (r Retention) Validate() error {
	left := PrunableKinds
	for _, kind := range r.Kinds {
		i := slices.Index(left, kind)
		if i < 0 {
			return fmt.Errorf("keep the kinds %q: %w", r.Kinds, ErrInvalid)
		}
		left = left[i+1:]
	}
	return nil
}

// A RetentionRule is a [Retention] applied to a state of a run.
type RetentionRule struct {
	run       Run
	keep      Retention
	wholeFrom int // all records are retained from this iteration on
}

// NewRetentionRule returns the rule for a run with done iterations. If it is unfinished, the rule also retains what the
// run needs to continue: its options, its last iteration and, if it learns from all transitions, these.
func NewRetentionRule(run Run, keep Retention, done int, unfinished bool) RetentionRule {
	if !unfinished {
		return RetentionRule{run, keep, done}
	}
	kinds := append([]schema.Kind{schema.KindOption}, keep.Kinds...)
	if run.AccumulatesTransitions() {
		kinds = append(kinds, schema.KindTransitions)
	}
	return RetentionRule{run, Retention{Kinds: kinds}, max(done-1, 0)}
}

// WholeFrom returns the first of the iterations of which all records are retained.
func (r RetentionRule) WholeFrom() int { return r.wholeFrom }

// Retains reports whether records of a kind are retained in iteration k.
func (r RetentionRule) Retains(k int, kind schema.Kind) bool {
	return k >= r.wholeFrom || r.RetainsForEver(k, kind)
}

// RetainsForEver reports whether the rule retains records of a kind in iteration k for any number of iterations.
func (r RetentionRule) RetainsForEver(k int, kind schema.Kind) bool {
	return slices.Contains(r.keep.Kinds, retentionKind(kind)) || !r.run.IsPrunable(k, kind)
}

// ReadRetention returns the retention of the run, or nil if none is set: then everything is kept.
func (t *Tx) ReadRetention(id schema.Digest) (*Retention, error) {
	k, err := rows.ReadOptional[Retention](t.rows, rows.BucketKeeps, id)
	if k == nil || err != nil {
		return nil, err
	}
	if err := k.Validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", rows.DamagedError(rows.BucketKeeps, id[:]), err)
	}
	return k, nil
}

// SetRetention sets what the run keeps from now on. It neither drops records nor restores any.
func (t *Tx) SetRetention(id schema.Digest, k Retention) error {
	if err := k.Validate(); err != nil {
		return err
	}
	if !t.rows.HasRun(id) {
		return storeerr.Missing("run %s", id)
	}
	if k.KeepsEverything() {
		return t.rows.Remove(rows.BucketKeeps, id[:])
	}
	if k.Kinds == nil {
		k.Kinds = []schema.Kind{}
	}
	return rows.Write(t.rows, rows.BucketKeeps, id[:], k)
}
