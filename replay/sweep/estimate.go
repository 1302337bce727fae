package sweep

import (
	"context"
	"errors"
	"os"
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

// Estimates are those of a plan's specs, by the runs of whatever seed that a store
// has.
func Estimates(ctx context.Context, store *tracker.Store, p *Plan) ([]Estimate, error) {
	sums := make([]Estimate, len(p.Specs))
	if _, err := os.Lstat(store.Path()); errors.Is(err, os.ErrNotExist) {
		return sums, nil
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
			if looked++; looked > maxLooked || ctx.Err() != nil {
				break
			}
			if err != nil || run.Start != nil {
				continue // what is damaged tells nothing
			}
			spec := run.Spec
			spec.Seed = 0
			id, err := schema.RunID(spec, nil)
			if i, known := specs[id]; err == nil && known && sums[i].Runs < maxSamples {
				sums[i].add(tx, run.ID, p.Iterations)
			}
		}
		return ctx.Err()
	})
	for i := range sums {
		if n := sums[i].Runs; n > 0 {
			sums[i].Time /= time.Duration(n)
			sums[i].Bytes /= int64(n)
		}
	}
	return sums, err
}

// add adds a run to a sum, as if it had all its iterations. One without any, or with
// records that are not there any more, tells nothing.
func (e *Estimate) add(tx *tracker.Tx, id schema.Digest, wanted int) {
	its, err := tx.Iterations(id)
	if its = its[:min(len(its), wanted)]; err != nil || len(its) == 0 {
		return
	}
	one := Estimate{}
	for k, it := range its {
		cost, err := tx.Cost(id, k)
		if err != nil {
			return
		}
		for _, ns := range cost.Stages {
			one.Time += time.Duration(ns)
		}
		for _, entry := range it.Records {
			if _, stored, err := tx.Sizes(entry.Name); err == nil {
				one.Bytes += stored + recordCost
			}
		}
	}
	e.Runs++
	e.Time += one.Time * time.Duration(wanted) / time.Duration(len(its))
	e.Bytes += one.Bytes * int64(wanted) / int64(len(its))
}
