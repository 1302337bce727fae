package gc

import (
	"context"
	"encoding/binary"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// Usage is what takes space in a store.
type Usage struct {
	File  int64                       // bytes of the file
	Free  int64                       // of them in unused pages
	Store RecordUsage                 // of all records that rows name
	Total RecordUsage                 // of those that the selected runs name; exclusive is what no other run names
	Kinds map[schema.Kind]RecordUsage // of the same, by kind; exclusive is what one run alone names
	Parts []RecordUsage               // of each group of runs

	Removed RecordUsage // of the records that only removed runs name
}

// UsageOptions selects what [MeasureUsage] reports.
type UsageOptions struct {
	Runs     []schema.Digest       // the selected runs; nil means all
	Groups   [][]schema.Digest     // of runs, which may overlap
	Progress func(done, total int) // called with the number of runs read; may be nil
}

// RecordUsage counts distinct records and their bytes as stored.
type RecordUsage struct {
	Records   int   `json:"records"`
	Pruned    int   `json:"pruned"`    // those of Records that were pruned, and take no space
	Stored    int64 `json:"stored"`    // bytes of the others as stored
	Exclusive int64 `json:"exclusive"` // those of Stored that no other run names
	Shared    int64 `json:"shared"`    // the rest
}

// add adds a record.
func (u *RecordUsage) add(e *usageEntry, exclusive bool) {
	u.Records++
	if e.pruned {
		u.Pruned++
	}
	u.Stored += e.stored
	u.Shared += e.stored
	if exclusive {
		u.claim(e)
	}
}

// claim makes the bytes of a record exclusive that was added as shared.
func (u *RecordUsage) claim(e *usageEntry) {
	u.Exclusive += e.stored
	u.Shared -= e.stored
}

// MeasureUsage determines the space that the records of runs take. It reads rows and the lengths of
// records in short transactions: what others write meanwhile may or may not be counted.
func MeasureUsage(ctx context.Context, s *tracker.Store, o UsageOptions) (Usage, error) {
	u := Usage{Kinds: map[schema.Kind]RecordUsage{}, Parts: make([]RecordUsage, len(o.Groups))}
	m := &usageMeter{UsageOptions: o, store: s, usage: &u}
	records, err := m.readFile(ctx)
	if err != nil {
		return u, err
	}
	m.divisor = 1 + records/uint64(portion.Usage)
	m.total = len(m.all) + len(o.Runs)
	for _, g := range o.Groups {
		m.total += len(g)
	}
	m.total *= int(m.divisor)
	for m.part = 0; m.part < m.divisor; m.part++ {
		if err := m.measurePart(ctx); err != nil {
			return u, err
		}
	}
	return u, nil
}

// usageMeter is the state of a measurement.
type usageMeter struct {
	UsageOptions
	store         *tracker.Store
	usage         *Usage
	all           []schema.Digest // runs of the store
	done, total   int
	part, divisor uint64 // records of this remainder are counted

	entries map[schema.Digest]*usageEntry
	visits  int // of runs, the current one included
}

// usageEntry is a record.
type usageEntry struct {
	kind   schema.Kind
	stored int64
	pruned bool
	runs   int // that name it
	visit  int // the last one that counted it

	group   int // the last one that has it, from 1
	inGroup int // runs of that group that name it
}

// readFile determines the runs and the space of the file. It returns a bound on the number of
// records.
func (m *usageMeter) readFile(ctx context.Context) (records uint64, err error) {
	err = m.store.View(ctx, func(tx *tracker.Tx) error {
		info, err := tx.Stat()
		if err != nil {
			return err
		}
		used, err := tx.Rows().Pages.UsedBytes()
		if err != nil {
			return err
		}
		m.usage.File, m.usage.Free = info.Size(), info.Size()-used
		records = tx.Rows().Bucket(rows.BucketRecords).Sequence()
		for key := range tx.Rows().WithPrefix(rows.BucketRuns, nil) {
			id, err := rows.ParseRunKey(key)
			if err != nil {
				return err
			}
			m.all = append(m.all, id)
		}
		return nil
	})
	return records, err
}

// measurePart measures the records of the current part.
func (m *usageMeter) measurePart(ctx context.Context) error {
	m.entries = map[schema.Digest]*usageEntry{}
	if err := m.visitRuns(ctx, m.all, func(e *usageEntry) { e.runs++ }); err != nil {
		return err
	}
	for _, e := range m.entries {
		m.usage.Store.add(e, true)
	}
	for i, g := range m.Groups {
		use := &m.usage.Parts[i]
		err := m.visitGroup(ctx, i+1, g, func(e *usageEntry) {
			if e.inGroup == 1 {
				use.add(e, false)
			}
			if e.inGroup == e.runs {
				use.claim(e)
			}
		})
		if err != nil {
			return err
		}
	}
	if err := m.measureSelected(ctx); err != nil {
		return err
	}
	return m.store.View(ctx, m.measureRemoved)
}

// measureRemoved measures the records that only removed runs name.
func (m *usageMeter) measureRemoved(tx *tracker.Tx) (err error) {
	visitRemovedReferences(tx, func(r schema.Entry) {
		if m.skips(r) || m.entries[r.Name] != nil || !tx.HasRecord(r.Name) && !tx.IsPruned(r.Name) {
			return
		}
		e, failed := m.findEntry(tx, r)
		if failed != nil {
			err = failed
			return
		}
		m.usage.Removed.add(e, true)
	})
	return err
}

// skips reports whether a record is not of the current part.
func (m *usageMeter) skips(r schema.Entry) bool {
	return binary.BigEndian.Uint64(r.Name[:])%m.divisor != m.part
}

// measureSelected measures the records that the selected runs name.
func (m *usageMeter) measureSelected(ctx context.Context) error {
	number := len(m.Groups) + 1
	if m.Runs != nil {
		if err := m.visitGroup(ctx, number, m.Runs, func(*usageEntry) {}); err != nil {
			return err
		}
	}
	for _, e := range m.entries {
		if m.Runs != nil && e.group != number {
			continue
		}
		m.usage.Total.add(e, m.Runs == nil || e.inGroup == e.runs)
		kind := m.usage.Kinds[e.kind]
		kind.add(e, e.runs == 1)
		m.usage.Kinds[e.kind] = kind
	}
	return nil
}

// visitGroup calls visit with each record of the current part that a run of a group names, once for
// each of the runs, after it has counted the run.
func (m *usageMeter) visitGroup(ctx context.Context, number int, runs []schema.Digest, visit func(*usageEntry)) error {
	return m.visitRuns(ctx, runs, func(e *usageEntry) {
		if e.group != number {
			e.group, e.inGroup = number, 0
		}
		e.inGroup++
		visit(e)
	})
}

// visitRuns calls visit with each record of the current part that a run names, once for each of the
// runs.
func (m *usageMeter) visitRuns(ctx context.Context, runs []schema.Digest, visit func(*usageEntry)) error {
	if len(runs) == 0 {
		return nil
	}
	next := 0
	return m.store.ViewInShortTxs(ctx, func(tx *tracker.Tx) (more bool, err error) {
		err = m.visitRun(tx, runs[next], visit)
		m.done++
		if m.Progress != nil {
			m.Progress(m.done, m.total)
		}
		next++
		return next < len(runs), err
	})
}

func (m *usageMeter) visitRun(tx *tracker.Tx, id schema.Digest, visit func(*usageEntry)) error {
	m.visits++
	for row, err := range tx.NamingRows(id[:], nil) {
		if err != nil {
			return err
		}
		for _, r := range row.Records {
			if m.skips(r) {
				continue
			}
			e, err := m.findEntry(tx, r)
			if err != nil {
				return err
			}
			if e.visit != m.visits {
				e.visit = m.visits
				visit(e)
			}
		}
	}
	return nil
}

// findEntry returns the entry of a record, which it adds if there is none.
func (m *usageMeter) findEntry(tx *tracker.Tx, r schema.Entry) (*usageEntry, error) {
	if e := m.entries[r.Name]; e != nil {
		return e, nil
	}
	e := &usageEntry{kind: r.Kind, pruned: tx.IsPruned(r.Name)}
	if !e.pruned {
		seq, err := tx.Rows().FindRecord(r.Name)
		if err != nil {
			return nil, err
		}
		head, stored := tx.Rows().Bucket(rows.BucketRecords).Head(seq, 1)
		if len(head) == 0 {
			return nil, storeerr.Damaged("record %s: its place is empty", r.Name)
		}
		e.stored = stored
	}
	m.entries[r.Name] = e
	return e, nil
}
