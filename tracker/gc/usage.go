package gc

import (
	"bytes"
	"context"
	"encoding/binary"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/portion"
	"github.com/podtrack/podtrack/tracker/internal/storeerr"
	"github.com/podtrack/podtrack/tracker/rows"
)

// A Usage reports what takes space in a store.
type Usage struct {
	File  int64                       // bytes of the file
	Free  int64                       // of these, bytes in unused pages
	Store RecordUsage                 // of all records that rows name
	Total RecordUsage                 // of those that the selected runs name; exclusive: named by no other run
	Kinds map[schema.Kind]RecordUsage // of the same, by kind; exclusive: named by one run only
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
func (r *RecordUsage) add(e *usageEntry, exclusive bool) {
	r.Records++
	if e.pruned {
		r.Pruned++
	}
	r.Stored += e.stored
	r.Shared += e.stored
	if exclusive {
		r.claim(e)
	}
}

// claim makes the bytes of a record exclusive that add counted as shared.
func (r *RecordUsage) claim(e *usageEntry) {
	r.Exclusive += e.stored
	r.Shared -= e.stored
}

// MeasureUsage determines the space that the records of runs take. It reads rows and the lengths of records in
// short transactions, so it may or may not count concurrent changes.
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

// A usageMeter is the state of a measurement.
type usageMeter struct {
	UsageOptions
	store         *tracker.Store
	usage         *Usage
	all           []schema.Digest // runs of the store
	done, total   int
	part, divisor uint64 // records of this remainder are counted

	entries map[schema.Digest]*usageEntry
	visits  int // of runs, the current one included
	pending []pendingUse
}

// A pendingUse is a run's use of a record that is not counted yet.
type pendingUse struct {
	schema.Entry
	visit int // of the run
}

// A usageEntry counts the uses of a record.
type usageEntry struct {
	kind   schema.Kind
	stored int64
	pruned bool
	runs   int // number of runs that name it
	visit  int // last visit that counted it

	group   int // last group that has it, from 1
	inGroup int // runs of that group that name it
}

// readFile determines the runs and the space of the file. It returns a bound on the number of
// records.
func (u *usageMeter) readFile(ctx context.Context) (records uint64, err error) {
	err = u.store.View(ctx, func(tx *tracker.Tx) error {
		info, err := tx.Stat()
		if err != nil {
			return err
		}
		used, err := tx.Rows().Pages.UsedBytes()
		if err != nil {
			return err
		}
		u.usage.File, u.usage.Free = info.Size(), info.Size()-used
		records = tx.Rows().Bucket(rows.BucketRecords).Sequence()
		for key := range tx.Rows().WithPrefix(rows.BucketRuns, nil) {
			id, err := rows.ParseRunKey(key)
			if err != nil {
				return err
			}
			u.all = append(u.all, id)
		}
		return nil
	})
	return records, err
}

// measurePart measures the records of the current part.
func (u *usageMeter) measurePart(ctx context.Context) error {
	u.entries = map[schema.Digest]*usageEntry{}
	if err := u.visitRuns(ctx, u.all, func(e *usageEntry) { e.runs++ }); err != nil {
		return err
	}
	for _, e := range u.entries {
		u.usage.Store.add(e, true)
	}
	for i, g := range u.Groups {
		use := &u.usage.Parts[i]
		err := u.visitGroup(ctx, i+1, g, func(e *usageEntry) {
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
	if err := u.measureSelected(ctx); err != nil {
		return err
	}
	return u.store.View(ctx, u.measureRemoved)
}

// measureRemoved measures the records that only removed runs name.
func (u *usageMeter) measureRemoved(tx *tracker.Tx) (err error) {
	visitRemovedReferences(tx, func(r schema.Entry) {
		if u.skips(r) || u.entries[r.Name] != nil || !tx.HasRecord(r.Name) && !tx.IsPruned(r.Name) {
			return
		}
		e, failed := u.findEntry(tx, r)
		if failed != nil {
			err = failed
			return
		}
		u.usage.Removed.add(e, true)
	})
	return err
}

// skips reports whether a record is not in the current part.
func (u *usageMeter) skips(r schema.Entry) bool {
	return binary.BigEndian.Uint64(r.Name[:])%u.divisor != u.part
}

// measureSelected measures the records that the selected runs name.
func (u *usageMeter) measureSelected(ctx context.Context) error {
	number := len(u.Groups) + 1
	if u.Runs != nil {
		if err := u.visitGroup(ctx, number, u.Runs, func(*usageEntry) {}); err != nil {
			return err
		}
	}
	for _, e := range u.entries {
		if u.Runs != nil && e.group != number {
			continue
		}
		u.usage.Total.add(e, u.Runs == nil || e.inGroup == e.runs)
		kind := u.usage.Kinds[e.kind]
		kind.add(e, e.runs == 1)
		u.usage.Kinds[e.kind] = kind
	}
	return nil
}

// visitGroup calls visit with each record of the current part that a run of a group names, once for
// each of the runs, after it has counted the run.
func (u *usageMeter) visitGroup(ctx context.Context, number int, runs []schema.Digest, visit func(*usageEntry)) error {
	return u.visitRuns(ctx, runs, func(e *usageEntry) {
		if e.group != number {
			e.group, e.inGroup = number, 0
		}
		e.inGroup++
		visit(e)
	})
}

// visitRuns calls visit with each record of the current part that a run names, once for each of the
// runs.
func (u *usageMeter) visitRuns(ctx context.Context, runs []schema.Digest, visit func(*usageEntry)) error {
	if len(runs) == 0 {
		return nil
	}
	next := 0
	return u.store.ViewInShortTxs(ctx, func(tx *tracker.Tx) (more bool, err error) {
		for ; next < len(runs) && len(u.pending) < portion.Uses; next++ {
			if err := u.visitRun(tx, runs[next], visit); err != nil {
				return false, err
			}
			u.done++
			if u.Progress != nil {
				u.Progress(u.done, u.total)
			}
		}
		return next < len(runs), u.countPending(tx, visit)
	})
}

func (u *usageMeter) visitRun(tx *tracker.Tx, id schema.Digest, visit func(*usageEntry)) error {
	u.visits++
	for row, err := range tx.NamingRows(id[:], nil) {
		if err != nil {
			return err
		}
		for _, r := range row.Records {
			if !u.skips(r) {
				u.pending = append(u.pending, pendingUse{r, u.visits})
			}
		}
		if len(u.pending) < portion.Uses {
			continue
		}
		if err := u.countPending(tx, visit); err != nil {
			return err
		}
	}
	return nil
}

// countPending calls visit for the pending uses, of each record once for each run.
func (u *usageMeter) countPending(tx *tracker.Tx, visit func(*usageEntry)) error {
	if err := u.findEntries(tx); err != nil {
		return err
	}
	for _, r := range u.pending {
		if e := u.entries[r.Name]; e.visit != r.visit {
			e.visit = r.visit
			visit(e)
		}
	}
	u.pending = u.pending[:0]
	return nil
}

// findEntries adds the entries of pending records that are new. It reads the index, and then the records, in their own
// order.
func (u *usageMeter) findEntries(tx *tracker.Tx) error {
	var fresh []schema.Entry
	var names []schema.Digest
	for _, r := range u.pending {
		if u.entries[r.Name] == nil {
			fresh, names = append(fresh, r.Entry), append(names, r.Name)
		}
	}
	places := tx.Rows().LookUp(names)
	tx.Rows().UsePlaces(places)
	slices.SortFunc(fresh, func(a, b schema.Entry) int { return bytes.Compare(places[a.Name], places[b.Name]) })
	for _, r := range fresh {
		if _, err := u.findEntry(tx, r); err != nil {
			return err
		}
	}
	return nil
}

// findEntry returns the entry of a record, and adds it if it is new.
func (u *usageMeter) findEntry(tx *tracker.Tx, r schema.Entry) (*usageEntry, error) {
	if e := u.entries[r.Name]; e != nil {
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
	u.entries[r.Name] = e
	return e, nil
}
