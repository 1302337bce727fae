package tracker

import (
	"context"
	"maps"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// noteWanted notes the records that a row names.
func (f *follower) noteWanted(bucket string, key, row []byte) {
	switch bucket {
	case rows.BucketIterations, rows.BucketCheckpoints, rows.BucketEvaluations:
		entries, err := referencedRecords(bucket, key, row)
		if err != nil {
			return
		}
		for _, e := range entries {
			f.wanted[e.Name] = schema.Digest(key[:len(schema.Digest{})])
		}
	}
}

// takeIndex notes what became of records: they were added, restored, pruned or removed.
func (f *follower) takeIndex(changed map[string]bool) {
	index := f.from.Bucket([]byte(rows.BucketDigests))
	for key := range changed {
		if len(key) != len(schema.Digest{}) {
			continue
		}
		name := schema.Digest([]byte(key))
		switch place := index.Get(name[:]); {
		case place == nil:
			delete(f.tombstones, name)
			f.unused[name] = unreferenced
		case rows.IsTombstone(place):
			f.tombstones[name] = true
			if _, there := f.wanted[name]; !there {
				f.wanted[name] = schema.Digest{}
			}
		case len(place) == 8:
			delete(f.tombstones, name)
			_, named := f.referenced[name]
			if _, there := f.wanted[name]; named && !there {
				f.wanted[name] = schema.Digest{}
			}
		}
	}
}

// wantedPlaces returns the places of the wanted records that the new store lacks, and replaces those
// that were pruned by tombstones.
func (f *follower) wantedPlaces(ctx context.Context) (places []recordPlace, err error) {
	var pruned []schema.Digest
	err = f.to.View(ctx, func(tx *Tx) error {
		for name := range f.wanted {
			_, named := f.referenced[name]
			switch {
			case f.tombstones[name]:
				if named && !tx.IsPruned(name) {
					pruned = append(pruned, name)
				}
			case tx.HasRecord(name):
			default:
				if p, ok := placeOf(f.from, name); ok {
					places = append(places, p)
				}
			}
		}
		return nil
	})
	for _, name := range pruned {
		if err == nil {
			err = f.queuePut(0, func(tx *Tx) error { _, err := tx.rows.PutTombstone(name); return err })
		}
	}
	if err == nil {
		err = f.flush()
	}
	return places, err
}

// removeUnused removes the records that the index dropped and that no row of the new store names.
func (f *follower) removeUnused() error {
	if len(f.unused) == 0 {
		return nil
	}
	return f.update(func(tx *Tx) error {
		if err := (&references{tx: tx}).classify(f.unused); err != nil {
			return err
		}
		for name, use := range f.unused {
			if use != unreferenced {
				continue
			}
			if _, err := tx.rows.DeleteRecord(name); err != nil {
				return err
			}
		}
		return nil
	})
}

// listLacking returns the touched runs of which the new store lacks iterations or records.
func (f *follower) listLacking(ctx context.Context) ([]schema.Digest, error) {
	lacking := map[schema.Digest]bool{}
	for _, g := range f.pending {
		lacking[g.Run] = true
	}
	err := f.to.View(ctx, func(tx *Tx) error {
		for name, id := range f.wanted {
			if !tx.HasRecord(name) && !tx.IsPruned(name) && tx.rows.HasRun(id) {
				lacking[id] = true
			}
		}
		return nil
	})
	return slices.Collect(maps.Keys(lacking)), err
}
