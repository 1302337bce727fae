package replay

import (
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/recorded"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// RestoreReport reports the restored and the lost records of a run.
type RestoreReport struct {
	Run        schema.Digest `json:"run"`
	Recomputed []LostRecord  `json:"restored"` // recomputed, and verified by their digests
	Lost       []LostRecord  `json:"lost"`

	NeedsEnv bool `json:"elsewhere,omitempty"` // the lost records need the external environment
	// NeedsStages lists the external stages (of [schema.ExternalStages]) that lost records need and that were not given.
	NeedsStages []string `json:"needs_stages,omitempty"`
}

// LostRecord is a record that an iteration lists and the store cannot read.
type LostRecord struct {
	K        int           `json:"k"`
	Kind     schema.Kind   `json:"kind"`
	Digest   schema.Digest `json:"digest"`
	Reason   string        `json:"reason"`          // why it could not be read, or cannot be restored
	Imported bool          `json:"given,omitempty"` // imported data, which cannot be recomputed
}

// wantFunc reports whether a record that cannot be read for the given reason has to be restored.
type wantFunc func(why error) bool

// Restore recomputes the unreadable records of a run from its readable ones, by replaying the run. It accepts a record
// only if its digest is the one in the run's chain.
func Restore(
	ctx context.Context, store *tracker.Store, run tracker.Run, want wantFunc, with Options,
) (out RestoreReport, err error) {
	defer envs.CatchEnvPanic(&err)
	r := &restorer{
		store: store, id: run.ID, want: want, report: with.Report, recomputed: map[schema.Digest]bool{},
		imported: !run.SpecAt(0).Data.IsZero(), lacking: map[string]bool{},
	}
	out = RestoreReport{Run: run.ID, Recomputed: []LostRecord{}, Lost: []LostRecord{}}
	view := store.Within(ctx)
	recorded, err := recordedIterations(view, run)
	if err != nil {
		return out, err
	}
	if err := r.scan(view, recorded); err != nil || r.last < 0 {
		return out, err
	}
	env, err := newRecomputable(run)
	if err != nil {
		return out, err
	}
	p, _, err := openRecorded(ctx, env, view, run, with)
	if err != nil {
		return out, err
	}
	for p.K <= r.last {
		k := p.K
		if err := r.iterate(ctx, p); err != nil {
			return out, fmt.Errorf("iteration %d: %w", k, err)
		}
	}
	if err := r.flush(ctx); err != nil {
		return out, err
	}
	r.summarise(&out)
	return out, nil
}

// restorer visits the iterations of one run.
type restorer struct {
	store  *tracker.Store
	id     schema.Digest
	want   wantFunc
	report func(Event)

	imported bool // the data of iteration 0 was imported
	recorded []schema.Iteration
	records  *recorded.Prefetcher
	absent   map[schema.Digest]error // by digest: why a record cannot be read
	last     int                     // last iteration with an absent record, −1 for none
	reasons  []string                // by iteration: why a record was not restored
	needsEnv bool                    // some record needs the external environment, which was not given
	lacking  map[string]bool         // external stages that some record needs and that were not given
	before   *comparer               // of the previous iteration, nil if that was complete

	recomputed map[schema.Digest]bool
	batch      [][]byte // records to be written in the next transaction
	bytes      int
}

// scan reads every record of the iterations, and notes those that cannot be read.
func (r *restorer) scan(view tracker.Viewer, iterations []schema.Iteration) error {
	r.recorded, r.absent, r.last = iterations, map[schema.Digest]error{}, -1
	r.reasons = make([]string, len(iterations))
	r.records = recorded.NewPrefetcher(view, iterations)
	for k, it := range iterations {
		for _, e := range it.Records {
			raw, err := r.records.Read(k, e.Name)
			if err == nil {
				_, err = schema.Decode(e.Kind, raw)
			}
			if err != nil && !recorded.IsUnavailable(err) {
				return err
			}
			if err != nil {
				r.absent[e.Name], r.last = err, k
			}
		}
	}
	return nil
}

// isComplete reports whether the iteration has all of its records and everything it starts with.
func (r *restorer) isComplete(it schema.Iteration) bool {
	for _, e := range it.Records {
		if r.absent[e.Name] != nil {
			return false
		}
	}
	return r.before == nil || len(r.before.lostErr) == 0 && r.before.datasetErr == nil &&
		r.before.observationsErr == nil
}

// iterate advances past an iteration, without executing it if it is complete.
func (r *restorer) iterate(ctx context.Context, p *stages.State) error {
	view := r.store.Within(ctx)
	it := r.recorded[p.K]
	if r.isComplete(it) {
		r.before = nil
		return view(func(tx *tracker.Tx) error { return p.Load(ctx, tx, it, p.K+1) })
	}
	c := newComparer(p, it, r.records, nil, view)
	c.needsStage = func(stage string) bool { return r.needsStage(it, stage) }
	c.restore = func(record []byte) error { return r.addRecord(ctx, record) }
	if r.before != nil {
		c.inheritLosses(r.before)
	}
	judged, err := verifyIteration(ctx, p, c, len(r.recorded), r.report)
	for _, s := range judged.Stages {
		r.needsEnv = r.needsEnv || s.noEnv && r.needsStage(it, s.Stage)
		if s.noStage && r.needsStage(it, s.Stage) {
			r.lacking[stages.SpecStages[s.Stage]] = true
		}
		if s.Reason != "" && r.reasons[c.k] == "" {
			r.reasons[c.k] = s.Reason
		}
	}
	r.before = c
	return err
}

// needsStage reports whether a comparer must execute a stage because one of its records cannot be
// read.
func (r *restorer) needsStage(recorded schema.Iteration, stage string) bool {
	for _, kind := range stages.Kinds[stage] {
		for _, name := range recorded.RecordsOf(kind) {
			if r.absent[name] != nil {
				return true
			}
		}
	}
	return false
}

// addRecord takes a recomputed record whose digest is the recorded one.
func (r *restorer) addRecord(ctx context.Context, record []byte) error {
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
	if r.bytes < restoredBytes {
		return nil
	}
	return r.flush(ctx)
}

// restoredBytes is the size of restored records that are written in one transaction.
const restoredBytes = 16 << 20

// flush writes the restored records, many in one transaction.
func (r *restorer) flush(ctx context.Context) error {
	if len(r.batch) == 0 {
		return nil
	}
	err := r.store.Update(ctx, func(tx *tracker.Tx) error {
		if _, err := tx.ReadRun(r.id); err != nil {
			return err // nothing refers to the records any more
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

// summarise lists the records that were restored and those that were not.
func (r *restorer) summarise(out *RestoreReport) {
	defer func() {
		if len(out.Lost) == 0 {
			return
		}
		out.NeedsEnv = r.needsEnv
		for _, stage := range schema.ExternalStages() {
			if r.lacking[stage] {
				out.NeedsStages = append(out.NeedsStages, stage)
			}
		}
	}()
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
				l.Imported, l.Reason = true, "imported data cannot be recomputed"
			case r.reasons[k] != "":
				l.Reason = r.reasons[k]
			}
			out.Lost = append(out.Lost, l)
		}
	}
}
