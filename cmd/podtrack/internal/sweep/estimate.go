package sweep

import (
	"context"
	"errors"
	"os"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Estimate is the expected cost of a run, from recorded runs of the same spec.
type Estimate struct {
	Runs  int           // recorded runs that it is the mean of, 0 if there are none
	Time  time.Duration // of one core, a run
	Bytes int64         // of a store, a run
}

// Limits on the runs that an estimate reads.
const (
	maxSamples = 8       // runs of a spec
	maxLooked  = 100_000 // runs of a store, the newest
)

// recordCost is what a record takes in a store beside its bytes: its entry, two index entries, and
// partly filled pages. Measured: 350 to 370.
const recordCost = 360

// A Forecast describes the runs of a spec: how far they are, and what they are expected to
// cost.
type Forecast struct {
	Done     Count
	Estimate Estimate
}

// LoadForecasts returns the forecasts of a plan's specs from the runs of a store, of whatever
// seed. It visits the store's runs, not the plan's, of which there may be many more. Damaged runs
// are skipped.
func LoadForecasts(ctx context.Context, store *tracker.Store, p *Plan) ([]Forecast, error) {
	all := make([]Forecast, len(p.Specs))
	for i := range all {
		n := p.Seeds.Len()
		all[i].Done = Count{Runs: n, Missing: n, Wanted: int64(n) * int64(p.Iterations)}
	}
	if _, err := os.Stat(store.Path()); errors.Is(err, os.ErrNotExist) {
		return all, ctx.Err()
	}
	specs := map[schema.Digest]int{}
	for i, spec := range p.Specs {
		family, err := spec.Family()
		if err != nil {
			return nil, err
		}
		specs[family] = i
	}
	err := store.View(ctx, func(tx *tracker.Tx) error {
		looked := 0
		for run, err := range tx.Runs() {
			if ctx.Err() != nil {
				break
			}
			if looked++; err != nil || run.Start != nil {
				continue
			}
			family, err := run.Spec.Family()
			i, known := specs[family]
			if err != nil || !known {
				continue
			}
			if looked <= maxLooked && all[i].Estimate.Runs < maxSamples {
				all[i].Estimate.add(tx, run.ID, p.Iterations)
			}
			if p.Seeds.Contains(run.Spec.Seed) {
				all[i].Done.moveFromMissing(tx, run.ID, p.Iterations)
			}
		}
		return ctx.Err()
	})
	for i := range all {
		if e := &all[i].Estimate; e.Runs > 0 {
			e.Time /= time.Duration(e.Runs)
			e.Bytes /= int64(e.Runs)
		}
	}
	return all, err
}

// add adds a run to the sum, scaled to all of its iterations. A run without iterations or with
// missing records is skipped.
func (e *Estimate) add(tx *tracker.Tx, id schema.Digest, wanted int) {
	its, err := tx.ReadIterations(id)
	if its = its[:min(len(its), wanted)]; err != nil || len(its) == 0 {
		return
	}
	one := Estimate{}
	for k, it := range its {
		cost, err := tx.ReadCost(id, k)
		if err != nil {
			return
		}
		for _, ns := range cost.Stages {
			one.Time += time.Duration(ns)
		}
		for _, entry := range it.Records {
			if _, stored, err := tx.RecordSizes(entry.Name); err == nil {
				one.Bytes += stored + recordCost
			}
		}
	}
	e.Runs++
	e.Time += one.Time * time.Duration(wanted) / time.Duration(len(its))
	e.Bytes += one.Bytes * int64(wanted) / int64(len(its))
}
