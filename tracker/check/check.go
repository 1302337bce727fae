// Package check is podtrack's own: it reads a store and reports what is damaged: in the structure of the file,
// in runs and their iterations, in rows that belong to no run, and in records, which must be intact and have
// shapes that their runs can make.
package check

import (
	"context"
	"slices"

	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
	"github.com/podtrack/podtrack/tracker/internal/verify"
)

// Run reads a store and reports what is damaged. It changes nothing.
//
// One transaction checks the structure of everything but the records. The rest is checked in short
// transactions, between which other processes can write. Their changes are not reported as damage: one
// transaction reads the whole of a run, and damaged records are checked twice.
//
// An error means that the store cannot be opened or read.
func Run(ctx context.Context, s *tracker.Store, o Options) (Report, error) {
	c := &checker{
		store: s, Options: o, report: Report{Damaged: []Damage{}},
		kinds: map[schema.Digest]schema.Kind{}, bad: map[schema.Digest]error{},
		shapes: map[schema.Digest]schema.Shape{}, reported: map[string]bool{}, verifier: verify.New(),
	}
	steps := []func(context.Context) error{c.checkRuns, c.locateRecords, c.checkRecords, c.reportRecords}
	if o.Runs == nil {
		steps = slices.Insert(steps, 1, c.checkOrphans)
		steps = slices.Insert(steps, 0, c.checkStructure, c.checkRecordPages)
	}
	for _, step := range steps {
		if err := step(ctx); err != nil {
			return c.report, err
		}
	}
	return c.report, nil
}
