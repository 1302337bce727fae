package sweep

import (
	"context"
	"errors"
	"os"
	"slices"
	"time"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// Estimate is what runs of a spec take, by those that are recorded.
type Estimate struct {
	Runs  int           // recorded that it is the mean of, 0 where nothing is known
	Time  time.Duration // of one core, a run
	Bytes int64         // of a store, a run
}

// What an estimate looks at, and no more.
const (
	maxSamples = 8       // runs of a spec
	maxLooked  = 100_000 // runs of a store, the newest
)

// recordCost is what a record takes in a store beside its bytes: its entry, its two
// places in indices, and pages that are not full. Measured: 350 to 370.
const recordCost = 360

// A Forecast is how far the runs of a spec are, and what is known of what they take.
type Forecast struct {
	Done     Count
	Estimate Estimate
}

// LoadForecasts are those of a plan's specs, by the runs of a store, of whatever seed. It
// goes through these, not through the plan's, of which there may be very many more. What
// is damaged tells nothing.
func LoadForecasts(ctx context.Context, store *tracker.Store, p *Plan) ([]Forecast, error) {
	all := make([]Forecast, len(p.Specs))
	for i := range all {
		all[i].Done = Count{Runs: len(p.Seeds), Missing: len(p.Seeds), Wanted: int64(len(p.Seeds)) * int64(p.Iterations)}
	}
	if _, err := os.Lstat(store.Path()); errors.Is(err, os.ErrNotExist) {
		return all, ctx.Err()
	}
	specs := map[schema.Digest]int{}
	for i, spec := range p.Specs {
		id, err := schema.RunID(spec, nil)
		if err != nil {
			return nil, err
		}
		specs[id] = i
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
			spec := run.Spec
			spec.Seed = 0
			id, err := schema.RunID(spec, nil)
			i, known := specs[id]
			if err != nil || !known {
				continue
			}
			if looked <= maxLooked && all[i].Estimate.Runs < maxSamples {
				all[i].Estimate.add(tx, run.ID, p.Iterations)
			}
			if _, ours := slices.BinarySearch(p.Seeds, run.Spec.Seed); ours {
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

// add adds a run to a sum, as if it had all its iterations. One without any, or with
// records that are not there any more, tells nothing.
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
