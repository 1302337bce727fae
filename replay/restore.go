package replay

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// RestoreReport is what became of a run's records that were not to be had.
type RestoreReport struct {
	Run        schema.Digest `json:"run"`
	Recomputed []LostRecord  `json:"restored"` // computed again, and proved by their digests
	Lost       []LostRecord  `json:"lost"`

	NeedsEnv bool `json:"elsewhere,omitempty"` // what is lost is made in another process, which was not named
}

// LostRecord is a record that an iteration lists and the store cannot give.
type LostRecord struct {
	K        int           `json:"k"`
	Kind     schema.Kind   `json:"kind"`
	Digest   schema.Digest `json:"digest"`
	Reason   string        `json:"reason"`          // why it was not to be had, or is still not
	Imported bool          `json:"given,omitempty"` // recorded elsewhere: nothing computes it again
}

// WantFunc says which of the records that are not to be had, for the given reason,
// are to be put back.
type WantFunc func(why error) bool

// Restore computes the records of a run that its store cannot give, from those
// that it can, by the same walk as a replay. A record counts only when its digest
// is the one that the run's chain names. report may be nil.
func Restore(ctx context.Context, store *tracker.Store, run tracker.Run, want WantFunc, report func(Event)) (RestoreReport, error) {
	r := &restorer{ctx: ctx, store: store, id: run.ID, want: want, report: report, recomputed: map[schema.Digest]bool{}, imported: !run.SpecAt(0).Data.IsZero()}
	out := RestoreReport{Run: run.ID, Recomputed: []LostRecord{}, Lost: []LostRecord{}}
	recorded, err := recordedIterations(r.view, run)
	if err != nil {
		return out, err
	}
	if err := r.scan(recorded); err != nil || r.last < 0 {
		return out, err
	}
	p, _, err := openRecorded(ctx, r.view, run, -1)
	if err != nil {
		return out, err
	}
	for p.k <= r.last {
		k := p.k
		if err := r.iterate(p); err != nil {
			return out, fmt.Errorf("iteration %d: %w", k, err)
		}
	}
	if err := r.flush(); err != nil {
		return out, err
	}
	r.summarise(&out)
	return out, nil
}

// restorer goes over the iterations of one run.
type restorer struct {
	ctx    context.Context
	store  *tracker.Store
	id     schema.Digest
	want   WantFunc
	report func(Event)

	imported bool // iteration 0 was given its data
	recorded []schema.Iteration
	absent   map[schema.Digest]error // why a record is not to be had
	last     int                     // iteration that has such a record, −1 for none
	reasons  []string                // by iteration: why something did not come back
	needsEnv bool                    // something did not come back because its environment was not there
	before   *comparer               // of the last iteration, nil where all of it was there

	recomputed map[schema.Digest]bool
	batch      [][]byte // records that wait for a transaction
	bytes      int
}

func (r *restorer) view(f func(*tracker.Tx) error) error { return r.store.View(r.ctx, f) }

// survey reads every record of the iterations.
func (r *restorer) scan(recorded []schema.Iteration) error {
	r.recorded, r.absent, r.last = recorded, map[schema.Digest]error{}, -1
	r.reasons = make([]string, len(recorded))
	for k, it := range recorded {
		records := &prefetcher{view: r.view, queue: it.Records}
		for _, e := range it.Records {
			raw, err := records.read(e.Name)
			if err == nil {
				_, err = schema.Decode(e.Kind, raw)
			}
			if err != nil && !isUnavailable(err) {
				return err
			}
			if err != nil {
				r.absent[e.Name], r.last = err, k
			}
		}
	}
	return nil
}

// whole says whether the iteration has all its records and all that it begins
// with.
func (r *restorer) isComplete(it schema.Iteration) bool {
	for _, e := range it.Records {
		if r.absent[e.Name] != nil {
			return false
		}
	}
	return r.before == nil || len(r.before.lostErr) == 0 && r.before.datasetErr == nil && r.before.observationsErr == nil
}

// iterate goes past an iteration: quickly where all of it is there.
func (r *restorer) iterate(p *runState) error {
	it := r.recorded[p.k]
	if r.isComplete(it) {
		r.before = nil
		return r.view(func(tx *tracker.Tx) error { return p.load(tx, it, true) })
	}
	c := newComparer(p, it, nil, r.view)
	c.restorer = r
	if r.before != nil {
		c.inheritLosses(r.before)
	}
	judged, err := verifyIteration(r.ctx, p, c, len(r.recorded), r.report)
	for _, s := range judged.Stages {
		r.needsEnv = r.needsEnv || s.noEnv && r.needsStage(it, s.Stage)
		if s.Reason != "" && r.reasons[c.k] == "" {
			r.reasons[c.k] = s.Reason
		}
	}
	r.before = c
	return err
}

// dependents says whether a comparer must execute a stage: one of its records is
// absent. Other stages are not executed.
func (r *restorer) needsStage(recorded schema.Iteration, stage string) bool {
	for _, kind := range StageKinds[stage] {
		for _, name := range recorded.RecordsOf(kind) {
			if r.absent[name] != nil {
				return true
			}
		}
	}
	return false
}

// take gets what a comparer computed under a recorded name.
func (r *restorer) addRecord(record []byte) error {
	name := schema.Name(record)
	why := r.absent[name]
	if why == nil || r.recomputed[name] {
		return nil
	}
	r.recomputed[name] = true
	if !r.want(why) {
		return nil
	}
	r.batch, r.bytes = append(r.batch, slices.Clone(record)), r.bytes+len(record)
	if r.bytes < prefetchBytes {
		return nil
	}
	return r.flush()
}

// flush puts records back, many in one transaction.
func (r *restorer) flush() error {
	if len(r.batch) == 0 {
		return nil
	}
	err := r.store.Update(r.ctx, func(tx *tracker.Tx) error {
		if _, err := tx.ReadRun(r.id); err != nil {
			return err // nothing names the records any more
		}
		for _, record := range r.batch {
			if _, err := tx.RestoreRecord(record); err != nil {
				return err
			}
		}
		return nil
	})
	r.batch, r.bytes = nil, 0
	return err
}

// sum lists what was brought back and what was not, of what was wanted.
func (r *restorer) summarise(out *RestoreReport) {
	defer func() { out.NeedsEnv = r.needsEnv && len(out.Lost) > 0 }()
	seen := map[schema.Digest]bool{}
	for k, it := range r.recorded {
		for _, e := range it.Records {
			why := r.absent[e.Name]
			if why == nil || seen[e.Name] || !r.want(why) {
				continue
			}
			seen[e.Name] = true
			l := LostRecord{K: k, Kind: e.Kind, Digest: e.Name, Reason: why.Error()}
			switch {
			case r.recomputed[e.Name]:
				out.Recomputed = append(out.Recomputed, l)
				continue
			case r.imported && k == 0 && (e.Kind == schema.KindTransitions || e.Kind == schema.KindRows):
				l.Imported, l.Reason = true, "it was recorded elsewhere, and cannot be computed again"
			case r.reasons[k] != "":
				l.Reason = r.reasons[k]
			}
			out.Lost = append(out.Lost, l)
		}
	}
}
