package tracker

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// Retention selects the records of a run that pruning keeps: those of some kinds, and all of the
// last iterations. Measures are always kept, and so is what cannot be computed again: data recorded
// elsewhere.
type Retention struct {
	Kinds []schema.Kind `cbor:"kinds" json:"kinds"` // a subsequence of PrunableKinds
	Last  int           `cbor:"last" json:"last"`
}

// PrunableKinds lists the kinds of records that may be pruned.
var PrunableKinds = []schema.Kind{schema.KindTransitions, schema.KindFactors, schema.KindValue, schema.KindOption}

// IsPrunable reports whether a record of iteration k can be computed again. If the environment is
// another process, transitions cannot be, and the run continues from its weights.
func (r Run) IsPrunable(k int, kind schema.Kind) bool {
	if r.Spec.Env.External != nil && (kind == schema.KindTransitions || kind == schema.KindTheta) {
		return false
	}
	given := k == 0 && !r.SpecAt(0).Data.IsZero() && kind == schema.KindTransitions
	return !given && slices.Contains(PrunableKinds, retentionKind(kind))
}

// retentionKind returns the kind that decides about keeping a record: whatever an option was
// derived from counts as values.
func retentionKind(kind schema.Kind) schema.Kind {
	if kind == schema.KindTheta {
		return schema.KindValue
	}
	return kind
}

// KeepsKind reports whether records of a kind are kept in all iterations.
func (r Retention) KeepsKind(kind schema.Kind) bool {
	return slices.Contains(r.Kinds, retentionKind(kind))
}

// KeepsEverything reports whether there is nothing to prune.
func (r Retention) KeepsEverything() bool { return len(r.Kinds) == len(PrunableKinds) }

// ValidateRetention returns an [ErrInvalid] unless the retention is possible.
func ValidateRetention(k Retention) error { return k.validate() }

func (r Retention) validate() error {
	left := PrunableKinds
	for _, kind := range r.Kinds {
		i := slices.Index(left, kind)
		if i < 0 {
			return fmt.Errorf("keep the kinds %q: %w", r.Kinds, ErrInvalid)
		}
		left = left[i+1:]
	}
	if r.Last < 0 || r.Last > MaxIterations {
		return schema.Hint(fmt.Errorf("keep %d iterations: %w", r.Last, ErrInvalid), "use up to %d", MaxIterations)
	}
	return nil
}

// WhileUnfinished returns the retention of a run that has not reached its target. It also keeps
// what the run needs to continue: its options, its last iteration and, if it gathers, all
// transitions.
func (r Retention) WhileUnfinished(gathers bool) Retention {
	kinds := append([]schema.Kind{schema.KindOption}, r.Kinds...)
	if gathers {
		kinds = append(kinds, schema.KindTransitions)
	}
	slices.SortFunc(kinds, func(a, b schema.Kind) int {
		return cmp.Compare(slices.Index(PrunableKinds, a), slices.Index(PrunableKinds, b))
	})
	return Retention{Kinds: slices.Compact(kinds), Last: max(r.Last, 1)}
}

// ReadRetention returns the retention of the run, or nil if none is set, which means everything.
func (t *Tx) ReadRetention(id schema.Digest) (*Retention, error) {
	k, err := rows.ReadOptional[Retention](t.rows, rows.BucketKeeps, id)
	if k == nil || err != nil {
		return nil, err
	}
	if err := k.validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", rows.DamagedError(rows.BucketKeeps, id[:]), err)
	}
	return k, nil
}

// SetRetention sets the retention of the run. It drops nothing, pruning does, and it restores
// nothing.
func (t *Tx) SetRetention(id schema.Digest, k Retention) error {
	if err := k.validate(); err != nil {
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
