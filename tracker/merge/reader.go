package merge

import (
	"github.com/podtrack/podtrack/schema"
	"github.com/podtrack/podtrack/tracker"
)

// runReader reads a run of the source in segments that fit into batches. A copy of a runReader
// continues at the same position.
type runReader struct {
	result *CopiedRun
	err    error // why nothing (more) of the run is written, a runError

	dropped bool // from its group, which was too large; another reader reads the run

	run        tracker.Run
	checkShape tracker.ShapeCheck // nil if shapes are not checked
	done       int                // number of iterations in the source
	metadata   runMetadata

	ourLinks   []schema.Digest        // links of the target's iterations
	ourPruned  map[schema.Digest]bool // records that are pruned in the target
	ourBroken  map[schema.Digest]bool // records of the group that are damaged or missing in the target
	nothingNew bool                   // the target has all metadata

	evaluations []tracker.Evaluation // evaluations that the target lacks, by iteration

	k     int           // the next iteration
	entry int           // the next record of it
	link  schema.Digest // of iteration k − 1

	evaluated int // index of the next of evaluations
}

// survey reads the run's row, length, metadata and evaluations.
func (w *runReader) survey(tx *tracker.Tx) error {
	steps := []func() error{
		func() (err error) { w.run, err = tx.ReadRun(w.result.Run); return err },
		func() (err error) { w.done, _, err = tx.ReadHead(w.run.ID); return err },
		func() error { return w.run.Validate(w.done) },
		func() (err error) { w.metadata, err = readMetadata(tx, w.run.ID); return err },
		func() (err error) { w.evaluations, err = tx.ReadVerifiedEvaluations(w.run.ID); return err },
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return refusedError(-1, nil, err)
		}
	}
	return nil
}

// compareOurs reads how much of the run the target has, and whether there is new metadata.
func (w *runReader) compareOurs(tx *tracker.Tx) (err error) {
	if !tx.Rows().HasRun(w.run.ID) {
		return nil
	}
	var u mergedMetadata
	if w.ourLinks, err = readLinks(tx, w.run.ID); err == nil {
		w.ourPruned, err = prunedRecords(tx, w.run.ID)
	}
	if err == nil {
		w.evaluations, err = missingEvaluations(tx, w.evaluations)
	}
	if err == nil {
		u, err = mergeMetadata(tx, w.run.ID, w.metadata, w.done > len(w.ourLinks))
	}
	if err != nil {
		return refusedHereError(err)
	}
	w.result.From, w.result.Name, w.result.Dropped = len(w.ourLinks), u.Name, u.dropped
	w.nothingNew = u.isEmpty()
	return nil
}
