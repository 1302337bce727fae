package tracker

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"slices"

	"go.etcd.io/bbolt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/rows"
	"github.com/podtrack/podtrack/tracker/pages"
	"github.com/podtrack/podtrack/tracker/tempfile"
)

// repairSnapshot is a copy of all rows of a store under repair, as they are, in a scratch file. It
// follows the store while others commit to it. Records are not in it: they are read from the store,
// at the places that the snapshot's index has.
type repairSnapshot struct {
	copy    *liveCopy
	temp    *tempfile.Dir
	changed changedRows // since takeChanged
}

// changedRows has the keys of rows that were written or deleted, by bucket.
type changedRows map[string]map[string]bool

func (c changedRows) count() (n int) {
	for _, keys := range c {
		n += len(keys)
	}
	return n
}

func newRepairSnapshot(s *Store) (*repairSnapshot, error) {
	temp, err := tempfile.New(s.path, "snapshot")
	if err != nil {
		return nil, err
	}
	db, err := createUnsynced(temp.ContentPath())
	if err != nil {
		return nil, errors.Join(err, temp.Remove())
	}
	p := &repairSnapshot{temp: temp}
	p.copy = newLiveCopy(s, db, liveCopyOptions{
		allRecords: true, emptyBuckets: []string{rows.BucketRecords, rows.BucketRemoved},
	})
	return p, nil
}

func (p *repairSnapshot) close() {
	_ = p.copy.close()
	_ = p.temp.Remove()
}

// update makes the snapshot a copy of some commit of the store, in short transactions.
func (p *repairSnapshot) update(ctx context.Context) (err error) {
	for range maxAttempts {
		if err = p.copy.runPasses(ctx); err == nil {
			err = p.copy.source.View(ctx, func(tx *Tx) error { return p.copy.finish(ctx, tx) })
		}
		if !errors.Is(err, ErrReplaced) {
			break
		}
		p.copy.restart()
	}
	return err
}

// noteChanges begins to note which rows an update changes.
func (p *repairSnapshot) noteChanges() {
	p.changed = changedRows{}
	p.copy.onChange = func(bucket string, key []byte) {
		if p.changed[bucket] == nil {
			p.changed[bucket] = map[string]bool{}
		}
		p.changed[bucket][string(key)] = true
	}
}

// takeChanged returns the rows that have changed since the last call.
func (p *repairSnapshot) takeChanged() changedRows {
	changed := p.changed
	p.changed = changedRows{}
	return changed
}

// recordPlace is where the index says that a record is.
type recordPlace struct {
	seq  uint64
	name schema.Digest
}

// indexedPlaces returns the places of all records that rows name and that are not pruned. It notes
// if the index lacks one.
func (s *salvager) indexedPlaces() []recordPlace {
	var places []recordPlace
	for seq, name := range s.namesByPlace {
		if _, named := s.referenced[name]; named && !s.tombstones[name] {
			places = append(places, recordPlace{seq, name})
		}
	}
	wanted := 0
	for name := range s.referenced {
		if !s.tombstones[name] {
			wanted++
		}
	}
	if len(places) < wanted {
		s.damagedBuckets[rows.BucketDigests] = true
	}
	return places
}

// A readStep is the state of a transaction that reads some records: it is over when enough returns
// true.
type readStep struct {
	tx     *Tx
	enough func(size int64) bool
}

// takePlaces takes the records at the places, in steps between which nothing of the store is open,
// unless run has it open.
func (s *salvager) takePlaces(places []recordPlace, run func(func(readStep) error) error) error {
	slices.SortFunc(places, func(a, b recordPlace) int { return cmp.Compare(a.seq, b.seq) })
	for len(places) > 0 {
		var found []foundRecord
		err := run(func(step readStep) (err error) {
			found, err = s.readPlaces(step, places)
			return err
		})
		if err != nil {
			return err
		}
		for i, f := range found {
			if err := s.takeFound(places[i], f); err != nil {
				return err
			}
		}
		places = places[len(found):]
	}
	return s.flush()
}

// foundRecord is what is at a place.
type foundRecord struct {
	stored []byte // nil if nothing is there
	known  bool   // why nothing is there: a page is damaged, or the record was dropped meanwhile
}

// readPlaces reads the records at the first of the places, at least one.
func (s *salvager) readPlaces(step readStep, places []recordPlace) (found []foundRecord, err error) {
	bucket, err := step.tx.rows.Pages.OpenBucket(rows.BucketRecords)
	if err != nil {
		return nil, s.to.wrapPageError(err)
	}
	size := int64(0)
	for _, p := range places {
		v, there, err := bucket.Get(rows.NumberKey(p.seq))
		var stored []byte
		if err == nil && there {
			stored, err = v.Bytes()
		}
		var d *pages.Damage
		switch {
		case errors.As(err, &d):
			s.notePageDamage(d)
		case err != nil:
			return nil, s.to.wrapPageError(err)
		}
		dropped := !there && !bytes.Equal(step.tx.rows.Bucket(rows.BucketDigests).Get(p.name[:]), rows.NumberKey(p.seq))
		found = append(found, foundRecord{slices.Clone(stored), d != nil || dropped})
		if size += int64(len(stored)); step.enough(size) {
			break
		}
	}
	return found, nil
}

// notePageDamage notes damage of the pages of records, once.
func (s *salvager) notePageDamage(d *pages.Damage) {
	before := len(s.report.Pages)
	s.noteDamage(rows.BucketRecords, d)
	if slices.Contains(s.report.Pages[:before], s.report.Pages[before]) {
		s.report.Pages = s.report.Pages[:before]
	}
}

// takeFound takes what is at a place, and notes if the index is wrong.
func (s *salvager) takeFound(p recordPlace, f foundRecord) error {
	if f.stored == nil {
		if !f.known {
			s.damagedBuckets[rows.BucketDigests] = true
		}
		return nil
	}
	name, err := s.takeStored(f.stored)
	if _, named := s.referenced[name]; err == nil && named && name != p.name {
		s.damagedBuckets[rows.BucketDigests] = true
	}
	return err
}

// placeOf returns the place of a record according to the snapshot's index. ok is false if there is
// none.
func placeOf(from *bbolt.Tx, name schema.Digest) (p recordPlace, ok bool) {
	place := from.Bucket([]byte(rows.BucketDigests)).Get(name[:])
	if len(place) != 8 {
		return p, false
	}
	return recordPlace{binary.BigEndian.Uint64(place), name}, true
}
