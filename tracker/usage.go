package tracker

import (
	"encoding/binary"
	"sync"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A Usage is the space that the records of one or several runs take.
type Usage struct {
	Records   int   // distinct records that the store has
	Stored    int64 // their bytes as stored
	Exclusive int64 // of these, the bytes that no other run names
}

// MeasureUsage returns the space that the records of each run take, and of those runs together that selected has.
func (t *Tx) MeasureUsage(selected map[schema.Digest]bool) (
	runs map[schema.Digest]*Usage, all Usage, err error,
) {
	runs = map[schema.Digest]*Usage{}
	parts := 1 + t.rows.Bucket(rows.BucketRecords).Sequence()/uint64(portion.Usage)
	for part := range parts {
		m := usageMeter{tx: t, runs: runs, records: map[schema.Digest]*recordUsage{}}
		m.skips = func(name schema.Digest) bool { return binary.BigEndian.Uint64(name[:])%parts != part }
		for key := range t.rows.WithPrefix(rows.BucketRuns, nil) {
			id, err := rows.ParseRunKey(key)
			if err == nil {
				err = m.addRun(id, selected[id])
			}
			if err != nil {
				return nil, all, err
			}
		}
		for _, r := range m.records {
			if r.runs == 1 {
				r.last.Exclusive += r.stored
			}
			if r.selected > 0 {
				all.add(r.stored)
			}
			if r.selected == r.runs {
				all.Exclusive += r.stored
			}
		}
	}
	return runs, all, nil
}

// usageIndex is the usage of each run of a store. The clones of a transaction share it.
type usageIndex struct {
	once sync.Once
	runs map[schema.Digest]*Usage
	err  error
}

// UsageOf returns the space that the records of a run take. The first call in a transaction reads the rows of all runs.
func (t *Tx) UsageOf(id schema.Digest) (Usage, error) {
	t.usage.once.Do(func() { t.usage.runs, _, t.usage.err = t.MeasureUsage(nil) })
	if t.usage.err != nil {
		return Usage{}, t.usage.err
	}
	if u := t.usage.runs[id]; u != nil {
		return *u, nil
	}
	return Usage{}, storeerr.Missing("run %s", id)
}

func (u *Usage) add(stored int64) {
	u.Records++
	u.Stored += stored
}

type usageMeter struct {
	tx      *Tx
	runs    map[schema.Digest]*Usage
	records map[schema.Digest]*recordUsage
	skips   func(schema.Digest) bool // whether a record is not in the part
}

type recordUsage struct {
	stored         int64
	runs, selected int
	last           *Usage // of the last run that names it
}

func (m *usageMeter) addRun(id schema.Digest, isSelected bool) error {
	if m.runs[id] == nil {
		m.runs[id] = &Usage{}
	}
	run := m.runs[id]
	for row, err := range m.tx.NamingRows(id[:], nil) {
		if err != nil {
			return err
		}
		for _, e := range row.Records {
			if m.skips(e.Name) || m.tx.rows.IsPruned(e.Name) {
				continue
			}
			r, err := m.findRecord(e.Name)
			if err != nil {
				return err
			}
			if r.last == run {
				continue
			}
			r.last = run
			r.runs++
			if isSelected {
				r.selected++
			}
			run.add(r.stored)
		}
	}
	return nil
}

func (m *usageMeter) findRecord(name schema.Digest) (*recordUsage, error) {
	if r := m.records[name]; r != nil {
		return r, nil
	}
	seq, err := m.tx.rows.FindRecord(name)
	if err != nil {
		return nil, err
	}
	head, stored := m.tx.rows.Bucket(rows.BucketRecords).Head(seq, 1)
	if len(head) == 0 {
		return nil, storeerr.Damaged("record %s: its place is empty", name)
	}
	r := &recordUsage{stored: stored}
	m.records[name] = r
	return r, nil
}
