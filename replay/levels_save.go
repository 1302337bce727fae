package replay

import (
	"context"
	"errors"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// proofsPerTx bounds the rows of a transaction, which others wait for.
const proofsPerTx = 1000

// SavedLevels counts the iterations whose levels were saved, and those of which the store keeps higher ones.
type SavedLevels struct {
	Saved  int `json:"saved"`
	Higher int `json:"higher"`
}

// SaveLevels writes the levels that replays found into the store, for those who read it: of each iteration of which
// every stage has one. Higher levels from before stay. An iteration of which something is different or damaged loses
// what was saved before. By has the time, the host and the program.
func SaveLevels(
	ctx context.Context, store *tracker.Store, found []Verification, by tracker.Proof,
) (saved SavedLevels, err error) {
	var all []levelsToSave
	for _, j := range found {
		for _, it := range j.Iterations {
			all = append(all, levelsToSave{j.Run, it})
		}
	}
	for some := range slices.Chunk(all, proofsPerTx) {
		var n SavedLevels
		err := store.Update(ctx, func(tx *tracker.Tx) error {
			n = saved
			for _, it := range some {
				if err := it.save(tx, by, &n); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return saved, err
		}
		saved = n
	}
	return saved, nil
}

type levelsToSave struct {
	run schema.Digest
	IterationResult
}

// save writes the levels of an iteration, and counts it.
func (it levelsToSave) save(tx *tracker.Tx, by tracker.Proof, n *SavedLevels) error {
	by.Link, by.Levels = it.link, map[string]schema.Level{}
	for _, s := range it.Stages {
		if s.Verdict == Different || s.Verdict == Damaged {
			return tx.RemoveProof(it.run, it.K)
		}
		if s.Level == "" {
			return nil
		}
		by.Levels[s.Stage] = s.Level
	}
	before, err := tx.ReadProof(it.run, it.K)
	switch {
	case err != nil && !errors.Is(err, tracker.ErrDamaged):
		return err
	case before != nil && before.Link == by.Link && hasLower(by.Levels, before.Levels) &&
		!hasLower(before.Levels, by.Levels):
		n.Higher++
		return nil
	}
	n.Saved++
	return tx.PutProof(it.run, it.K, by)
}

// hasLower reports whether a has a lower level than b of some stage.
func hasLower(a, b map[string]schema.Level) bool {
	for stage, level := range a {
		if isLower(level, b[stage]) {
			return true
		}
	}
	return false
}
