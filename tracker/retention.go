package tracker

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
)

// Retention says which records of a run stay in the store when it is pruned: those of
// some kinds, and all of the last iterations. Measures always stay, and so does
// what nobody can compute again: data that were recorded elsewhere.
type Retention struct {
	Kinds []schema.Kind `cbor:"kinds" json:"kinds"` // some of Prunable, in that order
	Last  int           `cbor:"last" json:"last"`
}

// PrunableKinds are the kinds of records that need not be kept.
var PrunableKinds = []schema.Kind{schema.KindTransitions, schema.KindFactors, schema.KindValue, schema.KindOption}

// isPrunable says whether a record of iteration k can be computed again. In an
// environment of another process nobody here can act, and the run goes on from its
// weights.
func (r Run) isPrunable(k int, kind schema.Kind) bool {
	if r.Spec.Env.External != nil && (kind == schema.KindTransitions || kind == schema.KindTheta) {
		return false
	}
	given := k == 0 && !r.SpecAt(0).Data.IsZero() && kind == schema.KindTransitions
	return !given && slices.Contains(PrunableKinds, retentionKind(kind))
}

// retentionKind is the kind under which records are kept or not: what an option was taken
// from is kept as values, whatever its learner.
func retentionKind(kind schema.Kind) schema.Kind {
	if kind == schema.KindTheta {
		return schema.KindValue
	}
	return kind
}

// KeepsEverything says that there is nothing to prune.
func (k Retention) KeepsEverything() bool { return len(k.Kinds) == len(PrunableKinds) }

// ValidateRetention says whether that can be kept of a run.
func ValidateRetention(k Retention) error { return k.validate() }

func (k Retention) validate() error {
	left := PrunableKinds
	for _, kind := range k.Kinds {
		i := slices.Index(left, kind)
		if i < 0 {
			return fmt.Errorf("to keep the kinds %q: %w", k.Kinds, ErrInvalid)
		}
		left = left[i+1:]
	}
	if k.Last < 0 || k.Last > MaxIterations {
		return fmt.Errorf("to keep %d iterations: %w", k.Last, ErrInvalid)
	}
	return nil
}

// whileUnfinished is what stays of a run that has not reached its target: also what
// it needs to go on, its options and the end of its last iteration, or all
// transitions where it gathers what they observed.
func (k Retention) whileUnfinished(gathers bool) Retention {
	kinds := append([]schema.Kind{schema.KindOption}, k.Kinds...)
	if gathers {
		kinds = append(kinds, schema.KindTransitions)
	}
	slices.SortFunc(kinds, func(a, b schema.Kind) int {
		return cmp.Compare(slices.Index(PrunableKinds, a), slices.Index(PrunableKinds, b))
	})
	return Retention{Kinds: slices.Compact(kinds), Last: max(k.Last, 1)}
}

// ReadRetention returns what is kept of the run, nil where nothing was said, which means
// everything.
func (t *Tx) ReadRetention(id schema.Digest) (*Retention, error) {
	k, err := readOptional[Retention](t, bucketKeeps, id)
	if k == nil || err != nil {
		return nil, err
	}
	if err := k.validate(); err != nil {
		return nil, fmt.Errorf("%w: %w", damagedRowError(bucketKeeps, id[:]), err)
	}
	return k, nil
}

// SetRetention says from now on what is kept of the run. It drops nothing: [Prune]
// does. What is to be kept again does not come back by itself.
func (t *Tx) SetRetention(id schema.Digest, k Retention) error {
	if err := k.validate(); err != nil {
		return err
	}
	if !t.hasRun(id) {
		return missingError("run %s", id)
	}
	if k.KeepsEverything() {
		if t.buckets[bucketKeeps] == nil {
			return nil
		}
		return t.removeRow(bucketKeeps, id[:])
	}
	if err := t.allowPruning(); err != nil {
		return err
	}
	if k.Kinds == nil {
		k.Kinds = []schema.Kind{}
	}
	return writeRow(t, bucketKeeps, id[:], k)
}

// allowPruning makes the store one in which something may be pruned.
func (t *Tx) allowPruning() error { return t.raiseFormat(formatPruned) }
