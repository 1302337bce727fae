package tracker

import (
	"bytes"
	"context"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
)

// follow takes over what others have committed, until little is left for the exclusive lock. It
// calls recompute with the runs of which the new store lacks something then.
func (r *Repair) follow(ctx context.Context, recompute func([]schema.Digest) error) error {
	if err := r.noteAltered(ctx); err != nil {
		return err
	}
	for range maxPasses {
		if err := r.snapshot.update(ctx); err != nil {
			return err
		}
		changed := r.snapshot.takeChanged()
		f, err := r.apply(ctx, changed, r.shortTxs(ctx))
		if err != nil {
			return err
		}
		if err := f.removeUnused(); err != nil {
			return err
		}
		lacking, err := f.listLacking(ctx)
		if err == nil && len(lacking) > 0 && recompute != nil {
			err = recompute(lacking)
		}
		if err != nil {
			return err
		}
		if changed.count() <= maxLastRows {
			return nil
		}
	}
	return nil
}

// maxLastRows is the number of rows of a pass after which the next one is the last.
const maxLastRows = 500

// followLast takes over the last commits in a transaction that locks others out. What is lacking
// then stays so until the next repair.
func (r *Repair) followLast(ctx context.Context, tx *Tx) error {
	if err := r.snapshot.copy.finish(ctx, tx); err != nil {
		return err
	}
	changed := r.snapshot.takeChanged()
	r.heldRows = changed.count()
	_, err := r.apply(ctx, changed, func(read func(readStep) error) error {
		return read(readStep{tx, func(size int64) bool { return size >= maxStaged || ctx.Err() != nil }})
	})
	if err != nil {
		return err
	}
	gaps := r.TakeGaps()
	if len(gaps) == 0 {
		return ctx.Err()
	}
	return r.NewStore.Update(ctx, func(tx *Tx) error {
		for _, g := range gaps {
			if err := tx.RestoreIterations(g); err != nil {
				return err
			}
		}
		return nil
	})
}

// noteAltered determines which runs have other rows in the new store than in the snapshot: those of
// which something was damaged.
func (r *Repair) noteAltered(ctx context.Context) error {
	if r.altered != nil {
		return nil
	}
	r.altered = map[schema.Digest]bool{}
	return r.snapshot.copy.target.View(func(from *bbolt.Tx) error {
		return r.NewStore.View(ctx, func(tx *Tx) error {
			for _, bucket := range rows.RunBuckets {
				r.compareRows(from.Bucket([]byte(bucket)), tx.rows.Bucket(bucket))
			}
			return nil
		})
	})
}

// compareRows notes the runs with different rows in a bucket. Either bucket may be nil.
func (r *Repair) compareRows(from *bbolt.Bucket, to rows.Bucket) {
	var a, b interface{ Next() (key, value []byte) }
	var aKey, aRow, bKey, bRow []byte
	if from != nil {
		c := from.Cursor()
		aKey, aRow = c.First()
		a = c
	}
	if to != nil {
		c := to.Cursor()
		bKey, bRow = c.First()
		b = c
	}
	note := func(key []byte) {
		if len(key) >= len(schema.Digest{}) {
			r.altered[schema.Digest(key[:len(schema.Digest{})])] = true
		}
	}
	for aKey != nil || bKey != nil {
		order := bytes.Compare(aKey, bKey)
		switch {
		case bKey == nil || aKey != nil && order < 0:
			note(aKey)
			aKey, aRow = a.Next()
		case aKey == nil || order > 0:
			note(bKey)
			bKey, bRow = b.Next()
		default:
			if !bytes.Equal(aRow, bRow) {
				note(aKey)
			}
			aKey, aRow = a.Next()
			bKey, bRow = b.Next()
		}
	}
}

// apply brings changed rows of the snapshot into the new store, with the records that they name.
func (r *Repair) apply(
	ctx context.Context, changed changedRows, run func(func(readStep) error) error,
) (f *follower, err error) {
	s := r.salvager
	s.update = func(write func(*Tx) error) error { return r.NewStore.Update(ctx, write) }
	f = &follower{
		salvager: s, altered: r.altered, keys: map[schema.Digest][]refKey{},
		wanted: map[schema.Digest]schema.Digest{}, unused: map[schema.Digest]recordUse{},
	}
	if changed.count() == 0 {
		return f, nil
	}
	err = r.snapshot.copy.target.View(func(from *bbolt.Tx) error {
		f.from = from
		if err := f.takeRows(changed); err != nil {
			return err
		}
		places, err := f.wantedPlaces(ctx)
		if err != nil {
			return err
		}
		return s.takePlaces(places, run)
	})
	if err == nil {
		err = f.reconcile()
	}
	return f, err
}
