package replay

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/podtrack/podtrack/pod/envs"
	"github.com/podtrack/podtrack/replay/stages"
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/check"
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

// Restore recomputes the unreadable records of a run from its readable ones, by replaying the run: those that want
// accepts for the reason why they cannot be read. It accepts a record only if its digest is the one in the run's chain.
func Restore(
	ctx context.Context, store *tracker.Store, run tracker.Run, want func(why error) bool, with Options,
) (out RestoreReport, err error) {
	defer envs.CatchEnvPanic(&err)
	r := &restorer{
		store: store, id: run.ID, want: want, recomputed: map[schema.Digest]bool{},
		imported: !run.SpecAt(0).Data.IsZero(), lacking: map[string]bool{}, writes: tracker.NewTxQueue(store),
	}
	out = RestoreReport{Run: run.ID, Recomputed: []LostRecord{}, Lost: []LostRecord{}}
	view := store.Within(ctx)
	listed, err := recordedIterations(view, run)
	if err != nil {
		return out, err
	}
	if err := r.scan(ctx, listed); err != nil || r.last < 0 {
		return out, err
	}
	env, err := newRecomputable(run)
	if err != nil {
		return out, err
	}
	if r.replayed, err = openReplay(ctx, env, view, run, with); err != nil {
		return out, err
	}
	for r.state.K <= r.last {
		k := r.state.K
		if err := r.iterate(ctx); err != nil {
			return out, fmt.Errorf("iteration %d: %w", k, err)
		}
	}
	if err := r.writes.Flush(ctx); err != nil {
		return out, err
	}
	r.summarise(&out)
	return out, nil
}

// restorer visits the iterations of one run.
type restorer struct {
	*replayed
	store *tracker.Store
	id    schema.Digest
	want  func(why error) bool

	imported bool                    // the data of iteration 0 was imported
	absent   map[schema.Digest]error // by digest: why a record cannot be read
	last     int                     // last iteration with an absent record, −1 for none
	reasons  []string                // by iteration: why a record was not restored
	needsEnv bool                    // some record needs the external environment, which was not given
	lacking  map[string]bool         // external stages that some record needs and that were not given

	recomputed map[schema.Digest]bool
	writes     *tracker.TxQueue
}

// scan reads every record of the iterations, and notes those that cannot be read.
func (r *restorer) scan(ctx context.Context, iterations []schema.Iteration) error {
	r.absent, r.last, r.reasons = map[schema.Digest]error{}, -1, make([]string, len(iterations))
	listed := map[schema.Digest]schema.Kind{}
	for _, it := range iterations {
		for _, e := range it.Records {
			listed[e.Name] = e.Kind
		}
	}
	err := check.FindUnavailable(ctx, r.store, listed, r.absent)
	for k, it := range iterations {
		if slices.ContainsFunc(it.Records, r.isAbsent) {
			r.last = k
		}
	}
	return err
}

// isAbsent reports whether a record could not be read.
func (r *restorer) isAbsent(e schema.Entry) bool { return r.absent[e.Name] != nil }

// iterate advances past an iteration, without executing it if it has all of its records and everything it starts with.
func (r *restorer) iterate(ctx context.Context) error {
	it := r.listed[r.state.K]
	if !slices.ContainsFunc(it.Records, r.isAbsent) && (r.before == nil || r.before.isComplete()) {
		r.before = nil
		return r.view(func(tx *tracker.Tx) error { return r.state.Load(ctx, tx, it, r.state.K+1) })
	}
	needsStage := func(stage string) bool {
		return slices.ContainsFunc(it.Records, func(e schema.Entry) bool {
			return r.isAbsent(e) && slices.Contains(stages.Kinds[stage], e.Kind)
		})
	}
	c := r.newComparer()
	c.needsStage, c.restore = needsStage, func(record []byte) error { return r.addRecord(ctx, record) }
	result, err := r.verifyNext(ctx, c)
	for _, s := range result.Stages {
		r.needsEnv = r.needsEnv || s.noEnv && needsStage(s.Stage)
		if s.noStage && needsStage(s.Stage) {
			r.lacking[stages.SpecStages[s.Stage]] = true
		}
		r.reasons[c.k] = cmp.Or(r.reasons[c.k], s.Reason)
	}
	return err
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
	packer, err := r.store.Codec()
	if err != nil {
		return err
	}
	stored, err := packer.Pack(record)
	if err != nil {
		return err
	}
	return r.writes.Add(ctx, int64(len(stored))+tracker.RowCost, func(tx *tracker.Tx) error {
		if _, err := tx.ReadRun(r.id); err != nil {
			return err // nothing refers to the record any more
		}
		_, err := tx.RestoreStored(name, stored)
		return err
	})
}

// summarise lists the records that were restored and those that were not.
func (r *restorer) summarise(out *RestoreReport) {
	seen := map[schema.Digest]bool{}
	for k, it := range r.listed {
		for _, e := range it.Records {
			why := r.absent[e.Name]
			if why == nil || seen[e.Name] || !r.want(why) {
				continue
			}
			seen[e.Name] = true
			l := LostRecord{K: k, Kind: e.Kind, Digest: e.Name, Reason: fmt.Sprintf("record %s: %v", e.Name, why)}
			if r.recomputed[e.Name] {
				out.Recomputed = append(out.Recomputed, l)
				continue
			}
			l.Reason = cmp.Or(r.reasons[k], l.Reason)
			if r.imported && k == 0 && (e.Kind == schema.KindTransitions || e.Kind == schema.KindRows) {
				l.Imported, l.Reason = true, "imported data cannot be recomputed"
			}
			out.Lost = append(out.Lost, l)
		}
	}
	if len(out.Lost) == 0 {
		return
	}
	out.NeedsEnv = r.needsEnv
	out.NeedsStages = slices.DeleteFunc(schema.ExternalStages(), func(stage string) bool { return !r.lacking[stage] })
}
