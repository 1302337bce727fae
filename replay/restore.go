package replay

import (
	"context"
	"fmt"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Restored is what became of a run's records that were not to be had.
type Restored struct {
	Run  schema.Digest `json:"run"`
	Back []LostRecord  `json:"restored"` // computed again, and proved by their digests
	Lost []LostRecord  `json:"lost"`
}

// LostRecord is a record that an iteration lists and the store cannot give.
type LostRecord struct {
	K      int           `json:"k"`
	Kind   schema.Kind   `json:"kind"`
	Digest schema.Digest `json:"digest"`
	Reason string        `json:"reason"` // why it was not to be had, or is still not
}

// restoring is what a comparer does beyond comparing: stages of which a record is
// not to be had are executed again, and what comes out under the recorded name is
// handed on. Other stages are not executed.
type restoring struct {
	absent map[schema.Digest]error // why
	back   map[schema.Digest]bool
	accept func(record []byte) error
}

// needs says whether a stage must be executed: one of its records is absent.
func (r *restoring) needs(recorded schema.Iteration, kinds []schema.Kind) bool {
	for _, kind := range kinds {
		for _, name := range recorded.All(kind) {
			if r.absent[name] != nil {
				return true
			}
		}
	}
	return false
}

// take accepts a record whose digest is the recorded one.
func (r *restoring) take(record []byte) error {
	name := schema.Name(record)
	if r.back[name] {
		return nil
	}
	r.back[name] = true
	return r.accept(record)
}

// Restore computes the records of a run that its store cannot give, from those
// that it can, by the same walk as a replay. A record counts only when its digest
// is the one that the run's chain names; the wanted ones are put back. report may
// be nil.
func Restore(ctx context.Context, store *tracker.Store, run tracker.Run, want func(k int, e schema.Entry, why error) bool, report func(Event)) (Restored, error) {
	out := Restored{Run: run.ID, Back: []LostRecord{}, Lost: []LostRecord{}}
	with := func(f func(*tracker.Tx) error) error { return store.View(ctx, f) }
	p, recorded, err := prepare(with, run, -1)
	if err != nil {
		return out, err
	}
	absent, last, err := survey(with, recorded)
	if err != nil || last < 0 {
		return out, err
	}
	batch := newBatch(ctx, store)
	r := &restoring{absent: absent, back: map[schema.Digest]bool{}}
	reasons := make([]string, last+1)
	var before *comparer
	for p.k <= last {
		k := p.k
		r.accept = func(record []byte) error {
			name := schema.Name(record)
			for _, e := range recorded[k].Records {
				if e.Name == name && want(k, e, absent[name]) {
					return batch.add(record)
				}
			}
			return nil
		}
		if before, reasons[k], err = restoreIteration(ctx, p, recorded, r, before, with, report); err != nil {
			return out, fmt.Errorf("iteration %d: %w", k, err)
		}
	}
	if err := batch.flush(); err != nil {
		return out, err
	}
	out.sum(recorded[:last+1], r, reasons, want)
	return out, nil
}

// survey reads every record of the iterations, and says which cannot be had and
// which iteration is the last one that has such a record.
func survey(with func(func(*tracker.Tx) error) error, recorded []schema.Iteration) (absent map[schema.Digest]error, last int, err error) {
	absent, last = map[schema.Digest]error{}, -1
	for k, it := range recorded {
		records := &ahead{with: with, queue: it.Records}
		for _, e := range it.Records {
			raw, err := records.read(e.Name)
			if err == nil {
				_, err = schema.Decode(e.Kind, raw)
			}
			switch {
			case err == nil:
			case isLost(err):
				absent[e.Name], last = err, k
			default:
				return nil, 0, err
			}
		}
	}
	return absent, last, nil
}

// restoreIteration goes past an iteration: quickly where all of it is there. The
// comparer returned is nil then; else it knows what is lost.
func restoreIteration(ctx context.Context, p *prefix, recorded []schema.Iteration, r *restoring, before *comparer, with func(func(*tracker.Tx) error) error, report func(Event)) (*comparer, string, error) {
	it := recorded[p.k]
	whole := before == nil || len(before.lost) == 0
	for _, e := range it.Records {
		whole = whole && r.absent[e.Name] == nil
	}
	if whole {
		return nil, "", with(func(tx *tracker.Tx) error { return p.take(tx, it, true) })
	}
	c := newComparer(p.k, it, nil, with)
	c.restoring = r
	if before != nil {
		c.inherit(before, p.run.Spec.Dataset == schema.Cumulative)
	}
	judged, err := judgeIteration(ctx, p, c, len(recorded), report)
	for _, s := range judged.Stages {
		if s.Reason != "" {
			return c, s.Reason, err
		}
	}
	return c, "", err
}

// sum lists what was brought back and what was not, of what was wanted.
func (out *Restored) sum(recorded []schema.Iteration, r *restoring, reasons []string, want func(int, schema.Entry, error) bool) {
	seen := map[schema.Digest]bool{}
	for k, it := range recorded {
		for _, e := range it.Records {
			why := r.absent[e.Name]
			if why == nil || seen[e.Name] || !want(k, e, why) {
				continue
			}
			seen[e.Name] = true
			l := LostRecord{K: k, Kind: e.Kind, Digest: e.Name, Reason: why.Error()}
			if r.back[e.Name] {
				out.Back = append(out.Back, l)
				continue
			}
			if reasons[k] != "" {
				l.Reason = reasons[k]
			}
			out.Lost = append(out.Lost, l)
		}
	}
}

// batch puts records back, many in one transaction.
type batch struct {
	ctx     context.Context
	store   *tracker.Store
	records [][]byte
	bytes   int
}

func newBatch(ctx context.Context, store *tracker.Store) *batch {
	return &batch{ctx: ctx, store: store}
}

func (b *batch) add(record []byte) error {
	b.records, b.bytes = append(b.records, record), b.bytes+len(record)
	if b.bytes >= aheadBytes {
		return b.flush()
	}
	return nil
}

func (b *batch) flush() error {
	if len(b.records) == 0 {
		return nil
	}
	err := b.store.Update(b.ctx, func(tx *tracker.Tx) error {
		for _, record := range b.records {
			if _, err := tx.Restore(record); err != nil {
				return err
			}
		}
		return nil
	})
	b.records, b.bytes = nil, 0
	return err
}
