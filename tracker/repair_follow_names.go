package tracker

import (
	"bytes"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// claimName gives a run the name in its annotation. If another run has it, the one with the lower ID
// keeps it, as in [salvager.rebuildNames].
func (f *follower) claimName(tx *Tx, id schema.Digest) error {
	a, err := tx.ReadAnnotation(id)
	if err != nil || a.Name == "" {
		return err
	}
	holder, taken, err := tx.rows.ReadRef(rows.BucketNames, []byte(a.Name))
	if err != nil {
		return err
	}
	keeps, loses := id, holder
	if taken && bytes.Compare(holder[:], id[:]) < 0 {
		keeps, loses = holder, id
	}
	if taken && keeps != loses {
		f.altered[loses] = true
		if err := tx.updateAnnotation(loses, func(a *Annotation) { a.Name = "" }); err != nil {
			return err
		}
	}
	return tx.rows.PutRef(rows.BucketNames, []byte(a.Name), keeps)
}

// releaseName removes the name of a run, if it has one, from the index of names.
func (t *Tx) releaseName(id schema.Digest) error {
	if !t.rows.HasRun(id) {
		return nil
	}
	a, err := t.ReadAnnotation(id)
	if err != nil || a.Name == "" {
		return err
	}
	holder, _, err := t.rows.ReadRef(rows.BucketNames, []byte(a.Name))
	if err != nil || holder != id {
		return err
	}
	return t.rows.Remove(rows.BucketNames, []byte(a.Name))
}
