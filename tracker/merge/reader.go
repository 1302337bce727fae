package merge

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// A runReader reads a run of the source in segments that fit into batches. A copy of a runReader continues at
// the same position.
type runReader struct {
	result *CopiedRun
	err    error // a runError: why nothing more of the run is written

	dropped bool // from its group, which was too large; another reader reads the run

	run        tracker.Run
	checkShape tracker.ShapeCheck // nil if shapes are not checked
	done       int                // number of iterations in the source
	metadata   runMetadata

	ourLinks   []schema.Digest        // links of the target's iterations
	ourPruned  map[schema.Digest]bool // records that are pruned in the target
	ourBroken  map[schema.Digest]bool // records of the group that are damaged or missing in the target
	nothingNew bool                   // the target has all metadata

	k     int           // the next iteration
	entry int           // the next record of it
	link  schema.Digest // of iteration k − 1
}

// survey reads the run's row, length and metadata.
func (r *runReader) survey(tx *tracker.Tx) error {
	steps := []func() error{
		func() (err error) { r.run, err = tx.ReadRun(r.result.Run); return err },
		func() (err error) { r.done, _, err = tx.ReadHead(r.run.ID); return err },
		func() error { return r.run.Validate(r.done) },
		func() (err error) { r.metadata, err = readMetadata(tx, r.run.ID); return err },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return refusedError(-1, nil, err)
		}
	}
	return nil
}

// compareOurs reads how much of the run the target has, and whether any metadata is new.
func (r *runReader) compareOurs(tx *tracker.Tx) (err error) {
	if !tx.Rows().HasRun(r.run.ID) {
		return nil
	}
	var u mergedMetadata
	if r.ourLinks, err = readLinks(tx, r.run.ID); err == nil {
		r.ourPruned, err = prunedRecords(tx, r.run.ID)
	}
	if err == nil {
		u, err = mergeMetadata(tx, r.run.ID, r.metadata, r.done > len(r.ourLinks))
	}
	if err != nil {
		return refusedHereError(err)
	}
	r.result.From, r.result.Name, r.result.Dropped = len(r.ourLinks), u.Name, u.dropped
	r.nothingNew = u.isEmpty()
	return nil
}
