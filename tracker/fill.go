package tracker

import (
	"context"
	"fmt"
	"os"
	"time"

	"go.etcd.io/bbolt"
)

// fill writes what is live into a new file. Rows are copied as they are, damaged
// ones too: who repairs them wants them.
func (c *Compacted) fill(ctx context.Context, tx *Tx, path string) (err error) {
	f := &filling{ctx: ctx, from: tx.btx}
	if f.db, err = openNew(path); err != nil {
		return err
	}
	defer func() {
		if err != nil && f.tx != nil {
			_ = f.tx.Rollback()
		}
		if closed := f.db.Close(); err == nil {
			err = closed
		}
	}()
	live := tx.live()
	keep := map[string]func(key, value []byte) bool{
		bucketRecords: func(seq, stored []byte) bool { return c.note(live.has(seq), stored) },
		bucketDigests: func(_, place []byte) bool { return len(place) != 8 || live.has(place) },
		bucketRemoved: func(_, _ []byte) bool { return false },
	}
	err = f.from.ForEach(func(name []byte, b *bbolt.Bucket) error { return f.copy(name, b, keep[string(name)]) })
	if err != nil {
		return err
	}
	return f.commit()
}

// note counts a record, and says whether it is live.
func (c *Compacted) note(live bool, stored []byte) bool {
	if !live {
		c.Unused++
		return false
	}
	c.Records++
	c.Stored += int64(len(stored))
	return true
}

// openNew opens a file that is not there yet and that nobody else knows. What is
// written is brought to the disk by who closes it.
func openNew(path string) (*bbolt.DB, error) {
	db, err := bbolt.Open(path, 0o600, &bbolt.Options{
		PageSize: pageSize, NoSync: true, NoGrowSync: true, NoStatistics: true,
		Timeout: time.Second,
		OpenFile: func(path string, flag int, mode os.FileMode) (*os.File, error) {
			return os.OpenFile(path, flag|os.O_EXCL, mode)
		},
	})
	if err == nil {
		db.AllocSize = pageSize
	}
	return db, err
}

// filling is a new file under way, in transactions of about maxStaged bytes.
type filling struct {
	ctx  context.Context
	from *bbolt.Tx
	db   *bbolt.DB
	tx   *bbolt.Tx
	size int64
}

// copy writes one bucket, all of it or what is to be kept.
func (f *filling) copy(name []byte, from *bbolt.Bucket, keep func(key, value []byte) bool) error {
	to, err := f.bucket(name)
	if err != nil {
		return err
	}
	if err := to.SetSequence(from.Sequence()); err != nil {
		return err
	}
	return from.ForEach(func(key, value []byte) error {
		switch {
		case value == nil:
			return damaged("bucket %s: there is another one in it", name)
		case keep != nil && !keep(key, value):
			return nil
		}
		if f.size >= maxStaged {
			if err := f.commit(); err != nil {
				return err
			}
			if to, err = f.bucket(name); err != nil {
				return err
			}
		}
		f.size += int64(len(key) + len(value))
		return to.Put(key, value)
	})
}

// bucket is one of the new file, in the transaction under way.
func (f *filling) bucket(name []byte) (b *bbolt.Bucket, err error) {
	if f.tx == nil {
		if f.tx, err = f.db.Begin(true); err != nil {
			return nil, err
		}
	}
	if b, err = f.tx.CreateBucketIfNotExists(name); err != nil {
		return nil, fmt.Errorf("make bucket %s: %w", name, err)
	}
	b.FillPercent = 1 // keys come in order
	return b, nil
}

func (f *filling) commit() error {
	if err := f.ctx.Err(); err != nil || f.tx == nil {
		return err
	}
	err := f.tx.Commit()
	f.tx, f.size = nil, 0
	return err
}
